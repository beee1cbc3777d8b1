import type { Role } from '../../core/policy/principal.ts'
import type { NamedPath } from './named-paths.ts'

export interface ForwardInput {
  /** Lower case, with the port unless default. */
  readonly host: string
  readonly scheme: 'http' | 'https'
  /** Path and query, as the client sent them. */
  readonly uri: string
  /** With possible overrides. */
  readonly methods: readonly string[]
  /** The application may serve these paths instead. */
  readonly named?: readonly NamedPath[]
}

export interface ForwardCaller {
  readonly roles: ReadonlySet<Role>
}

/**
 * - `bypass`: anyone, without authentication
 * - `identify`: depends on the caller, who is not known yet
 * - `one_factor`, `two_factor`: allowed after a login of this strength
 * - `deny`: no caller, or no caller with these roles
 */
export interface Verdict {
  readonly policy: 'bypass' | 'identify' | 'one_factor' | 'two_factor' | 'deny'
  /** From 1; null if none matches, or the path is ambiguous. */
  readonly rule: number | null
  readonly because: 'rule' | 'no_rule' | 'ambiguous' | 'named_path'
  /** With `named_path`: the header, in lower case. */
  readonly header?: string
  /** Whether the rule accepts app passwords. */
  readonly acceptsAppPasswords?: true
  /** With `identify`: for every caller; absent if the rule has roles. */
  readonly ofAll?: Verdict
}

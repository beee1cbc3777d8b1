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
  /** Of the visitor; null if the proxy names none. Called only if a rule has networks. */
  address(): string | null
  /** The application may serve these paths instead. */
  readonly named?: readonly NamedPath[]
}

export interface ForwardCaller {
  readonly username: string
  readonly roles: ReadonlySet<Role>
}

/**
 * - `bypass`: anyone, without authentication
 * - `identify`: depends on the caller, who is not known yet
 * - `one_factor`, `two_factor`: allowed after a login of this strength
 * - `deny`: no caller, or none of these roles and users
 */
export interface Verdict {
  readonly policy: 'bypass' | 'identify' | 'one_factor' | 'two_factor' | 'deny'
  /** From 1; null if none matches, or the path is ambiguous. */
  readonly rule: number | null
  readonly because: 'rule' | 'no_rule' | 'ambiguous' | 'named_path' | 'no_address'
  /** With `named_path`: the header, in lower case. */
  readonly header?: string
  /** Whether the rule accepts app passwords. */
  readonly acceptsAppPasswords?: true
  /** With `identify`: for every caller; absent if the rule has roles or users. */
  readonly ofAll?: Verdict
}

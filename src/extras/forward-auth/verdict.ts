import type { Role } from '../../core/policy/principal.ts'
import type { NamedPath } from './named-paths.ts'

/** A request to an application, as forwarded by a proxy. */
export interface ForwardInput {
  /** Lower case, with the port unless default. */
  readonly host: string
  readonly scheme: 'http' | 'https'
  /** Path and query, as the client sent them. */
  readonly uri: string
  /** The request's method and possible overrides. */
  readonly methods: readonly string[]
  /** Paths in request headers that the application may serve instead. */
  readonly named?: readonly NamedPath[]
}

export interface ForwardCaller {
  readonly roles: ReadonlySet<Role>
}

/**
 * - `bypass`: anyone, without authentication
 * - `identify`: depends on the caller, who is not known yet
 * - `one_factor`, `two_factor`: allowed after a login of this strength
 * - `deny`: nobody, or nobody with these roles
 */
export interface Verdict {
  readonly policy: 'bypass' | 'identify' | 'one_factor' | 'two_factor' | 'deny'
  /** From 1; null if none matches, or the path is ambiguous. */
  readonly rule: number | null
  /** For an operator. */
  readonly because: 'rule' | 'no_rule' | 'ambiguous' | 'named_path'
  /** With `named_path`: the header whose path leads to another rule, in lower case. */
  readonly header?: string
  /** With `identify`: the rule's verdict for every caller; absent if the rule has roles. */
  readonly ofAll?: Verdict
}

import type { Role } from '../../core/policy/principal.ts'
import type { NamedPath } from './named-paths.ts'

/** What a proxy asks about: a request to an application, as its headers tell of it. */
export interface ForwardInput {
  /** Lower case, with the port unless it is the scheme's own. */
  readonly host: string
  readonly scheme: 'http' | 'https'
  /** Path and query, as the client sent them. */
  readonly uri: string
  /** The method of the request, and any other that the application may take it for. */
  readonly methods: readonly string[]
  /** Other paths that its headers name: the application may serve one of them. */
  readonly named?: readonly NamedPath[]
}

/** Who asks, as far as rules are concerned. */
export interface ForwardCaller {
  readonly roles: ReadonlySet<Role>
}

/**
 * What the rules say of a request.
 * - `bypass`: anyone may, and who asks is not looked at
 * - `identify`: a rule decides by who asks, who is not known yet
 * - `one_factor`, `two_factor`: the caller may, after a login of this strength
 * - `deny`: none may, or none with these roles
 */
export interface Verdict {
  readonly policy: 'bypass' | 'identify' | 'one_factor' | 'two_factor' | 'deny'
  /** The number of the rule in the file, from 1; null if none matches, or the spelling has no one reading. */
  readonly rule: number | null
  /** Why, for an operator. */
  readonly because: 'rule' | 'no_rule' | 'ambiguous' | 'named_path'
  /** Of `named_path`: the request header whose path leads to another rule, in lower case. */
  readonly header?: string
  /** Of `identify`: what the same rule says of every caller; absent if it asks for roles. */
  readonly ofAll?: Verdict
}

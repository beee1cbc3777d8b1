import type { Principal } from '../kernel/principal.ts'
import { type Rule, scopesOf } from './rules.ts'

/** What a rule may ask of the thing that is acted on. */
export interface Resource {
  /** The user id of the owner as text; null where nobody owns it. */
  readonly ownerId: string | null
  /** Absent where the thing knows no lock: then it does not count as unlocked either. */
  readonly locked?: boolean
  /** Whether it is a user with an ADMIN's account; absent: then it counts as one. */
  readonly privileged?: boolean
}

/**
 * May this caller? `undefined`: only the resource can tell, and it was not given.
 * An absent caller satisfies `anyone`, and `unprivileged` where the resource does.
 */
export function decide(
  rule: Rule,
  principal: Principal | null,
  resource?: Resource,
): boolean | undefined {
  switch (rule.kind) {
    case 'anyone':
      return true
    case 'authenticated':
      return principal !== null
    case 'role':
      return principal !== null && rule.roles.some((name) => principal.roles.has(name))
    case 'scope':
      return principal !== null && hasScopes(principal, rule.scopes)
    case 'owner':
      if (principal === null) return false
      return resource && resource.ownerId === principal.subject
    case 'unlocked':
      if (principal === null) return false
      return resource && resource.locked === false
    case 'unprivileged':
      return resource && resource.privileged === false
    case 'any':
      return settle(rule.rules, true, principal, resource)
    case 'all':
      return settle(rule.rules, false, principal, resource)
  }
}

/** A client of which nothing is known may nothing that asks for a scope. */
function hasScopes({ client, scopes }: Principal, wanted: readonly string[]): boolean {
  if (scopes === undefined) return client === undefined
  return wanted.every((scope) => scopes.has(scope))
}

/**
 * The scopes that a rule asks for, where it is for the lack of one that it refuses this caller; null
 * where it allows the caller, or would not allow it with all scopes either.
 */
export function lackedScopes(
  rule: Rule,
  principal: Principal | null,
  resource?: Resource,
): readonly string[] | null {
  const wanted = principal === null ? [] : scopesOf(rule)
  if (principal === null || wanted.length === 0) return null
  const isAllowed = (caller: Principal) => decide(rule, caller, resource) !== false
  const unlimited = { ...principal, scopes: new Set(wanted) }
  return !isAllowed(principal) && isAllowed(unlimited) ? wanted : null
}

/** Three-valued "or" (`decisive` true) and "and" (`decisive` false). */
function settle(
  rules: readonly Rule[],
  decisive: boolean,
  principal: Principal | null,
  resource: Resource | undefined,
): boolean | undefined {
  let answer: boolean | undefined = !decisive
  for (const rule of rules) {
    const part = decide(rule, principal, resource)
    if (part === decisive) return decisive
    if (part === undefined) answer = undefined
  }
  return answer
}

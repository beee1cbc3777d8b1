import type { Principal } from './principal.ts'
import { type Rule, scopesOf } from './rules.ts'

/** The facts of a resource that rules use. */
export interface Resource {
  /** The user id of the owner as text; null if the resource has no owner. */
  readonly ownerId: string | null
  /** Absent if the resource has no lock; then it does not count as unlocked either. */
  readonly locked?: boolean
  /** Whether it is a user with the account of an ADMIN; if absent, it counts as one. */
  readonly privileged?: boolean
}

/**
 * Decides whether a rule allows a caller; `undefined` if that depends on the resource, which was
 * not given. An absent caller satisfies `anyone`, and `unprivileged` if the resource does.
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
    case 'client':
      return principal?.credential.scheme === 'client' && principal.scopes?.has(rule.may) === true
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

/** Whether the caller has all wanted scopes. A client without known scopes has none. */
function hasScopes({ client, scopes }: Principal, wanted: readonly string[]): boolean {
  if (scopes === undefined) return client === undefined
  return wanted.every((scope) => scopes.has(scope))
}

/**
 * The scopes of a rule that denies this caller only because of a missing scope; null if the rule
 * allows the caller, or denies it for another reason.
 */
export function lackedScopes(
  rule: Rule,
  principal: Principal | null,
  resource?: Resource,
): readonly string[] | null {
  if (principal === null) return null
  const wanted = scopesOf(rule)
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

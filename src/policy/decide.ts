import type { Principal } from '../kernel/principal.ts'
import type { Rule } from './rules.ts'

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

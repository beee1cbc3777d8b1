import { ApiError, type RefusalReason } from '../../errors.ts'
import { decide, lackedScopes, type Resource } from '../../policy/decide.ts'
import type { Principal } from '../../policy/principal.ts'
import { describeRule, type Rule } from '../../policy/rules.ts'

/** If a bearer token lacks only a scope, the challenge names the scopes. RFC 6750 section 3.1. */
export function accessDenied(
  rule: Rule | undefined,
  principal: Principal | null,
  resource?: Resource,
): ApiError {
  const { scheme } = principal?.credential ?? {}
  const isBearer = scheme === 'bearer' || scheme === 'external' || scheme === 'key'
  const lacked = rule && isBearer ? lackedScopes(rule, principal, resource) : null
  return new ApiError('accessDenied', {
    challenge: lacked ? challengeOf(lacked) : undefined,
    reason: reasonOfDenial(rule, principal, resource),
  })
}

export function challengeOf(scopes: readonly string[]): string {
  return `Bearer realm="API", error="insufficient_scope", scope="${scopes.join(' ')}"`
}

/** The missing parts, for the operator. */
export function reasonOfDenial(
  rule: Rule | undefined,
  principal: Principal | null,
  resource?: Resource,
): RefusalReason {
  const missing = rule ? missingParts(rule, principal, resource) : []
  const kinds = new Set(missing.map(({ kind }) => kind))
  const lacks = missing.map((part) => inWords(part, resource))
  const facts = { rule: rule ? describeRule(rule) : null, lacks }
  if (kinds.has('owner') || kinds.has('unlocked') || kinds.has('unprivileged')) {
    return { code: 'resource_rule', facts }
  }
  if (kinds.has('client')) return { code: 'client_permission_lacking', facts }
  if (kinds.has('scope') && !kinds.has('role')) return { code: 'scope_lacking', facts }
  return { code: 'role_lacking', facts: { ...facts, roles: [...(principal?.roles ?? [])] } }
}

type Part = Exclude<Rule, { readonly kind: 'any' | 'all' }>

/** The parts of a rule that deny the caller, in order. */
function missingParts(rule: Rule, principal: Principal | null, resource?: Resource): Part[] {
  if (decide(rule, principal, resource) === true) return []
  if (rule.kind !== 'any' && rule.kind !== 'all') return [rule]
  return rule.rules.flatMap((part) => missingParts(part, principal, resource))
}

function inWords(part: Part, resource: Resource | undefined): string {
  switch (part.kind) {
    case 'owner':
      return `to be the owner, who is ${resource?.ownerId ? `user ${resource.ownerId}` : 'none'}`
    case 'unlocked':
      return 'a resource that is not locked'
    case 'unprivileged':
      return 'a user without an account of an ADMIN'
    case 'role':
      return `the role ${part.roles.join(' or ')}`
    case 'scope':
      return `the scope ${part.scopes.join(' ')}`
    case 'client':
      return `a client that may ${part.may}`
    default:
      return 'an authenticated caller'
  }
}

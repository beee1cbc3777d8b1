import { ApiError } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/principal.ts'
import { lackedScopes, type Resource } from '../../policy/decide.ts'
import type { Rule } from '../../policy/rules.ts'

/**
 * Creates the 403 for a caller whom a rule denies. If a bearer token lacks only a scope, the
 * challenge names the scopes of the rule. RFC 6750 section 3.1.
 */
export function accessDenied(
  rule: Rule | undefined,
  principal: Principal | null,
  resource?: Resource,
): ApiError {
  const { scheme } = principal?.credential ?? {}
  const isBearer = scheme === 'bearer' || scheme === 'external'
  const lacked = rule && isBearer ? lackedScopes(rule, principal, resource) : null
  return new ApiError('accessDenied', { challenge: lacked ? challengeOf(lacked) : undefined })
}

function challengeOf(scopes: readonly string[]): string {
  return `Bearer realm="API", error="insufficient_scope", scope="${scopes.join(' ')}"`
}

import type { Guard } from '../database/transactions.ts'
import type { Revocations } from './revocations.ts'
import type { Rotation } from './rotation.ts'
import type { Tokens } from './tokens.ts'

export interface EndTokenDeps {
  readonly revocations: Revocations
  readonly rotation: Rotation
  readonly tokens: Tokens
}

/**
 * Ends an access token or one for enrolment; false where it is none that is valid: that counts as
 * revoked already. Spec 3.2. @throws DatabaseUnavailable where the end cannot be stored
 */
export async function endAccessToken(
  { tokens, revocations }: Pick<EndTokenDeps, 'tokens' | 'revocations'>,
  token: string,
  guard?: Guard,
): Promise<boolean> {
  const claims =
    (await tokens.verifyAccess(token)) ?? (await tokens.verifyAccess(token, 'enrolment'))
  if (claims) await revocations.revoke(claims, guard)
  return claims !== null
}

/**
 * The same for a refresh token, with all that were given or will be given for it, access tokens
 * among them. RFC 7009 section 2.1.
 */
export async function endRefreshToken(
  deps: EndTokenDeps,
  token: string,
  guard?: Guard,
): Promise<boolean> {
  const claims = await deps.tokens.verifyRefresh(token)
  if (claims) await deps.revocations.endPair(await deps.rotation.pairOf(claims), claims.exp, guard)
  return claims !== null
}

/** For a logout: an access token, and the whole pair where it came with one. */
export async function endLogin(deps: EndTokenDeps, token: string): Promise<boolean> {
  const claims = await deps.tokens.verifyAccess(token)
  if (claims?.sid === undefined) return endAccessToken(deps, token)
  await deps.revocations.endPair(claims.sid, claims.exp)
  return true
}

import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Guard } from '../../core/database/transactions.ts'
import type { Events } from '../../core/events/events.ts'
import type { AccessClaims } from '../../core/policy/principal.ts'
import { tokenRevoked } from './events.ts'
import type { Revocations, RevokeOptions } from './revocations.ts'
import type { Rotation } from './rotation.ts'
import type { Tokens } from './tokens.ts'

export interface EndTokenDeps {
  readonly events: Events
  readonly revocations: Revocations
  readonly rotation: Rotation
  readonly tokens: Tokens
}

/** Why a token ends early, and the guard that authorizes the caller again. */
export interface TokenEnd {
  readonly reason: 'logout' | 'administrator' | 'client'
  readonly guard?: Guard | undefined
}

/** The claims for the event of an end, as far as known. */
export type EndedToken = Partial<Pick<AccessClaims, 'sub' | 'jti' | 'username'>>

export function endOf(
  { events }: Pick<EndTokenDeps, 'events'>,
  end: TokenEnd,
  { sub, ...login }: EndedToken = {},
): RevokeOptions {
  const { guard, reason } = end
  const user_id = sub === undefined ? null : Number(sub)
  const also = (trx: DatabaseOrTransaction) =>
    events.emitInTransaction(trx, tokenRevoked, { user_id, reason }, { login })
  return { guard, also }
}

/**
 * Ends an access token or enrolment token. False for an invalid token, which counts as revoked.
 * Spec
 * 3.2. @throws DatabaseUnavailable if the end cannot be stored
 */
export async function endAccessToken(
  deps: Omit<EndTokenDeps, 'rotation'>,
  token: string,
  end: TokenEnd,
): Promise<boolean> {
  const { tokens, revocations } = deps
  const claims =
    (await tokens.verifyAccess(token)) ?? (await tokens.verifyAccess(token, 'enrolment'))
  if (claims) await revocations.revoke(claims, endOf(deps, end, toldOf(claims)))
  return claims !== null
}

/**
 * Ends a refresh token, its pair, and every later token of its rotation. False for an invalid
 * token. RFC 7009 section 2.1. @throws DatabaseUnavailable if the end cannot be stored
 */
export async function endRefreshToken(
  deps: EndTokenDeps,
  token: string,
  end: TokenEnd,
): Promise<boolean> {
  const { tokens, revocations, rotation } = deps
  const claims = await tokens.verifyRefresh(token)
  if (!claims) return false
  const { id } = await rotation.pairOf(claims)
  await revocations.endPair(id, claims.exp, endOf(deps, end, { sub: claims.sub }))
  return true
}

/** Ends an access token as a logout does, with its whole pair. */
export async function endLogin(deps: EndTokenDeps, token: string, end: TokenEnd): Promise<void> {
  const claims = await deps.tokens.verifyAccess(token)
  if (claims?.sid === undefined) await endAccessToken(deps, token, end)
  else {
    await deps.revocations.endPair(claims.sid, claims.exp, endOf(deps, end, toldOf(claims)))
  }
}

function toldOf({ sub, jti, username }: AccessClaims): EndedToken {
  return { sub, jti, username }
}

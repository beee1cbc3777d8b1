import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Guard } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import { tokenRevoked } from './events.ts'
import type { HowToRevoke, Revocations } from './revocations.ts'
import type { Rotation } from './rotation.ts'
import type { Tokens } from './tokens.ts'

export interface EndTokenDeps {
  readonly events: Events
  readonly revocations: Revocations
  readonly rotation: Rotation
  readonly tokens: Tokens
}

/** Why a token ends before its time, and how its caller is judged where there is one. */
export interface TokenEnd {
  readonly reason: 'logout' | 'administrator'
  readonly guard?: Guard | undefined
}

/** For `Revocations`: an end leaves its event. */
export function endOf({ events }: Pick<EndTokenDeps, 'events'>, end: TokenEnd): HowToRevoke {
  const { guard, reason } = end
  const also = (trx: DatabaseOrTransaction) => events.record(trx, tokenRevoked, { reason })
  return { guard, also }
}

/**
 * Ends an access token or one for enrolment; false where it is none that is valid: that counts as
 * revoked already. Spec 3.2. @throws DatabaseUnavailable where the end cannot be stored
 */
export async function endAccessToken(
  deps: Omit<EndTokenDeps, 'rotation'>,
  token: string,
  end: TokenEnd,
): Promise<boolean> {
  const { tokens, revocations } = deps
  const claims =
    (await tokens.verifyAccess(token)) ?? (await tokens.verifyAccess(token, 'enrolment'))
  if (claims) await revocations.revoke(claims, endOf(deps, end))
  return claims !== null
}

/**
 * The same for a refresh token, with all that were given or will be given for it, access tokens
 * among them. RFC 7009 section 2.1.
 */
export async function endRefreshToken(
  deps: EndTokenDeps,
  token: string,
  end: TokenEnd,
): Promise<boolean> {
  const { tokens, revocations, rotation } = deps
  const claims = await tokens.verifyRefresh(token)
  if (claims) await revocations.endPair(await rotation.pairOf(claims), claims.exp, endOf(deps, end))
  return claims !== null
}

/** For a logout: an access token, and the whole pair where it came with one. */
export async function endLogin(deps: EndTokenDeps, token: string): Promise<void> {
  const end = { reason: 'logout' } as const
  const claims = await deps.tokens.verifyAccess(token)
  if (claims?.sid === undefined) await endAccessToken(deps, token, end)
  else await deps.revocations.endPair(claims.sid, claims.exp, endOf(deps, end))
}

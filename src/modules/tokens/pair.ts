import { digest } from '../../core/crypto/digest.ts'
import type { RefreshClaims } from './claims.ts'

/**
 * The id of the pair and token family that begins with a refresh token: the claim `sid` of its
 * access tokens. The id contains a digest of the token's id, which is no credential, and the
 * token's expiry, so that an access token alone can end the pair for its whole lifetime.
 */
export function pairIdOf({ rid, exp }: Pick<RefreshClaims, 'rid' | 'exp'>): string {
  return `${digest(`pair ${rid}`)}.${Math.ceil(Math.min(exp, Number.MAX_SAFE_INTEGER))}`
}

/** The expiry of the first refresh token of a pair, in seconds; 0 if the id does not contain it. */
export function firstExpiryOf(pairId: string): number {
  return Number(/\.([0-9]{1,16})$/.exec(pairId)?.[1] ?? 0)
}

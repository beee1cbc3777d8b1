import { digest } from '../../core/crypto/digest.ts'
import type { RefreshClaims } from './claims.ts'

/**
 * The id of the pair, and of the token family, that begins with a refresh token. It is the claim
 * `sid` of all access tokens of the pair. It contains a digest of the token's id, which is no
 * credential, and the expiry of the token, so that an access token alone can end the pair for its
 * whole lifetime.
 */
export function pairIdOf({ rid, exp }: Pick<RefreshClaims, 'rid' | 'exp'>): string {
  return `${digest(`pair ${rid}`)}.${Math.ceil(Math.min(exp, Number.MAX_SAFE_INTEGER))}`
}

/** When the first refresh token of a pair expires, in seconds; 0 if the id does not say. */
export function firstExpiryOf(pairId: string): number {
  return Number(/\.([0-9]{1,16})$/.exec(pairId)?.[1] ?? 0)
}

import { digest } from '../kernel/digest.ts'
import type { RefreshClaims } from './claims.ts'

/**
 * The id of the pair that a refresh token came with, or of the line of refresh tokens that began
 * with it: the claim `sid` of all access tokens of the pair. Of the token it tells a digest, which
 * opens nothing, and the expiry, so that an access token alone can end the pair for as long as it
 * could live.
 */
export function pairIdOf({ rid, exp }: Pick<RefreshClaims, 'rid' | 'exp'>): string {
  return `${digest(`pair ${rid}`)}.${Math.ceil(Math.min(exp, Number.MAX_SAFE_INTEGER))}`
}

/** When the first refresh token of a pair expires, in seconds; 0 where the id does not tell. */
export function firstExpiryOf(pairId: string): number {
  return Number(/\.([0-9]{1,16})$/.exec(pairId)?.[1] ?? 0)
}

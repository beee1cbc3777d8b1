import type { Config } from '../../core/config/load.ts'
import { unknownAuthTime } from '../authentication/evidence.ts'

/**
 * When a refresh token ends, in epoch seconds. With rotation no refresh token of a login expires later
 * than REFRESH_ABSOLUTE_SECONDS after the login, if the time of the login is known.
 */
export function refreshEnd(
  {
    refreshAbsoluteSeconds,
    refreshSeconds,
    rotatesRefresh,
  }: Pick<Config['token'], 'refreshAbsoluteSeconds' | 'refreshSeconds' | 'rotatesRefresh'>,
  { authTime, issuedAt }: { readonly authTime: number; readonly issuedAt: number },
): number {
  const end = issuedAt + refreshSeconds
  const isBounded = rotatesRefresh && refreshAbsoluteSeconds > 0 && authTime !== unknownAuthTime
  return isBounded ? Math.min(end, authTime + refreshAbsoluteSeconds) : end
}

import type { Config } from '../../core/config/load.ts'

/**
 * When a refresh token ends. With rotation the tokens of a login do not go on without an end.
 * Epoch seconds.
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
  const isBounded = rotatesRefresh && refreshAbsoluteSeconds > 0
  return isBounded ? Math.min(end, authTime + refreshAbsoluteSeconds) : end
}

import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import { ApiError } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Principal } from '../../policy/principal.ts'

/**
 * `mfa` of RFC 8176: the login proved two factors. @throws ApiError secondFactorRequired
 */
export function assertTwoFactors({ amr, subject: user_id }: Principal): void {
  if (amr.includes('mfa')) return
  const reason = { code: 'login_without_factor', facts: { user_id } } as const
  throw new ApiError('secondFactorRequired', { reason })
}

/**
 * A stolen session or token must not take over the account. ASVS 7.5.1. Called by `access`
 * (`always`) or the handler (`conditional`).
 * @throws ApiError recentLoginRequired; Error if the route declares neither
 */
export function assertRecentLogin(
  { principal, routeOptions }: FastifyRequest,
  { login }: Pick<Config, 'login'>,
  clock: Pick<Clock, 'now'>,
): void {
  const { config, url } = routeOptions
  if (!config.reauthentication || !principal) throw new Error(`${url} declares no reauthentication`)
  if (clock.now() - principal.authTime <= login.reauthenticateSeconds * 1000) return
  const { subject: user_id, authTime } = principal
  const login_at = authTime > 0 ? authTime : null // optional for providers
  const facts = { user_id, login_at, max_age_seconds: login.reauthenticateSeconds }
  throw new ApiError('recentLoginRequired', { reason: { code: 'login_too_old', facts } })
}

import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import type { Clock } from '../../kernel/clock.ts'
import { ApiError } from '../../kernel/errors.ts'

/**
 * What changes how an account is proved wants a login within `REAUTHENTICATE_SECONDS`: a session or
 * a token that was found lying about must not take the account over. ASVS 7.5.1. Asked by `access`
 * where a route declares `always`, by the handler where it declares `conditional`.
 * @throws ApiError recentLoginRequired; Error where the route declares neither
 */
export function assertRecentLogin(
  { principal, routeOptions }: FastifyRequest,
  { login }: Pick<Config, 'login'>,
  clock: Pick<Clock, 'now'>,
): void {
  const { config, url } = routeOptions
  if (!config.reauthentication || !principal) throw new Error(`${url} declares no reauthentication`)
  const age = clock.now() - principal.authenticatedAt
  if (age > login.reauthenticateSeconds * 1000) throw new ApiError('recentLoginRequired')
}

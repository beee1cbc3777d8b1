import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config/load.ts'
import type { Clock } from '../../kernel/clock.ts'
import { ApiError } from '../../kernel/errors.ts'
import { callerOf } from './access.ts'

/**
 * What changes how an account is proved wants a login within `REAUTHENTICATE_SECONDS`: a session or
 * a token that was found lying about must not take the account over. ASVS 7.5.1.
 * @throws ApiError recentLoginRequired
 */
export function assertRecentLogin(
  request: FastifyRequest,
  { login }: Pick<Config, 'login'>,
  clock: Pick<Clock, 'now'>,
): void {
  const age = clock.now() - callerOf(request).authTime
  if (age > login.reauthenticateSeconds * 1000) throw new ApiError('recentLoginRequired')
}

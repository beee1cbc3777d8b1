import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { assertRecentLogin } from '../http/recent-login.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Role } from '../kernel/principal.ts'

/**
 * Whoever makes an administrator has logged in of late, like whoever sets a password: a session that was
 * found lying about must not leave an account behind that outlives it. `before`: the roles so far.
 * @throws ApiError recentLoginRequired
 */
export function assertMayAppoint(
  request: FastifyRequest,
  { config, clock }: { readonly config: Pick<Config, 'login'>; readonly clock: Clock },
  wanted: readonly Role[],
  before: readonly Role[] = [],
): void {
  if (wanted.includes('ADMIN') && !before.includes('ADMIN')) {
    assertRecentLogin(request, config, clock)
  }
}

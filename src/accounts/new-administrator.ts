import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { assertRecentLogin } from '../http/recent-login.ts'
import type { Clock } from '../kernel/clock.ts'
import { type Account, isAdministrator } from './account.ts'

type Standing = Pick<Account, 'roles' | 'locked' | 'active'>

/**
 * Whoever makes an administrator, or lets a locked or disabled one in again, has logged in of late, like
 * whoever sets a password: a session that was found lying about must not leave an account behind that
 * outlives it. `before`: the account so far, where there is one. @throws ApiError recentLoginRequired
 */
export function assertMayAppoint(
  request: FastifyRequest,
  { config, clock }: { readonly config: Pick<Config, 'login'>; readonly clock: Pick<Clock, 'now'> },
  wanted: { readonly [Name in keyof Standing]?: Standing[Name] | undefined },
  before: Standing = { roles: [], locked: false, active: true },
): void {
  const after = {
    roles: wanted.roles ?? before.roles,
    locked: wanted.locked ?? before.locked,
    active: wanted.active ?? before.active,
  }
  const hasRole = ({ roles }: Standing) => roles.includes('ADMIN')
  if (
    (hasRole(after) && !hasRole(before)) ||
    (isAdministrator(after) && !isAdministrator(before))
  ) {
    assertRecentLogin(request, config, clock)
  }
}

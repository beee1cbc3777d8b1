import type { FastifyRequest } from 'fastify'
import type { Account } from '../authentication/account.ts'
import type { Config } from '../config/load.ts'
import { assertRecentLogin } from '../http/routes/reauthentication.ts'
import type { Clock } from '../kernel/clock.ts'

type Standing = Pick<Account, 'roles' | 'locked' | 'active'>

interface RecentLoginDeps {
  readonly config: Pick<Config, 'login'>
  readonly clock: Pick<Clock, 'now'>
}

/**
 * A caller who makes or unmakes an administrator, or locks, disables or lets one in again, has
 * logged in of late, like one who sets a password: a session that was found lying about must
 * neither leave an account behind that outlives it, nor shut those out who could end it. `before`:
 * the account so far, where there is one. @throws ApiError recentLoginRequired
 */
export function assertMayAppoint(
  request: FastifyRequest,
  { config, clock }: RecentLoginDeps,
  wanted: { readonly [Name in keyof Standing]?: Standing[Name] | undefined },
  before: Standing = { roles: [], locked: false, active: true },
): void {
  const after = {
    roles: wanted.roles ?? before.roles,
    locked: wanted.locked ?? before.locked,
    active: wanted.active ?? before.active,
  }
  const hasOtherFlags = after.locked !== before.locked || after.active !== before.active
  if (hasRole(before) !== hasRole(after) || (hasRole(after) && hasOtherFlags)) {
    assertRecentLogin(request, config, clock)
  }
}

/** The same for the removal of an account. @throws ApiError recentLoginRequired */
export function assertMayDismiss(
  request: FastifyRequest,
  { config, clock }: RecentLoginDeps,
  account: Standing,
): void {
  if (hasRole(account)) assertRecentLogin(request, config, clock)
}

function hasRole({ roles }: Standing): boolean {
  return roles.includes('ADMIN')
}

import type { FastifyRequest } from 'fastify'
import type { Config } from '../../core/config/load.ts'
import { assertRecentLogin } from '../../core/http/routes/reauthentication.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Account } from '../authentication/account.ts'

type Standing = Pick<Account, 'roles' | 'locked' | 'active'>

interface RecentLoginDeps {
  readonly config: Pick<Config, 'login'>
  readonly clock: Pick<Clock, 'now'>
}

/**
 * Requires a recent login to add or remove the role ADMIN or to lock or disable an administrator: a
 * stolen session could otherwise create an administrator that outlives the session, or lock out the
 * others. @throws ApiError recentLoginRequired
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

/** @throws ApiError recentLoginRequired */
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

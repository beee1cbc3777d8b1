import { Counters } from './counters.ts'

/** How an account logs in: `other` is a method of a module from outside. */
export const loginMethods = ['password', 'mail', 'provider', 'basic', 'other'] as const
/** How a login ended: `incomplete` asked for a further step, `failed` is a fault of the service. */
export const loginResults = ['success', 'refused', 'incomplete', 'throttled', 'failed'] as const
/** How accounts come about; `other`: the first one, and those of modules from outside. */
export const accountWays = [
  'administrator',
  'import',
  'sign_up',
  'invitation',
  'provider',
  'other',
] as const

/** The method of a login, by its authentication method references: RFC 8176, and `fed` and `email`. */
export function loginMethod(amr: readonly string[]): (typeof loginMethods)[number] {
  if (amr.includes('fed')) return 'provider'
  if (amr.includes('email')) return 'mail'
  return amr.includes('pwd') ? 'password' : 'other'
}

export function usesSecondFactor(amr: readonly string[]): boolean {
  return amr.includes('mfa') || amr.includes('otp')
}

const wayOfRoute: Readonly<Record<string, (typeof accountWays)[number]>> = {
  '/api/admin/accounts': 'administrator',
  '/api/public/sign-up': 'sign_up',
  '/signup': 'sign_up',
  '/api/public/invitation': 'invitation',
  '/invitation': 'invitation',
}

/** How an account came about, by the route that made it. */
export function accountWay(
  route: string | null,
  isOfProvider: boolean,
): (typeof accountWays)[number] {
  if (isOfProvider) return 'provider'
  return wayOfRoute[route ?? ''] ?? 'other'
}

/**
 * What only the time series of statistics count: the name of the series, then the values of its labels.
 * The other series are made of what is measured anyway.
 */
export function seriesCounters(): Counters {
  return new Counters([
    ...loginMethods
      .filter((method) => method !== 'other' && method !== 'basic')
      .flatMap((method) => [
        ['logins', method, 'success'],
        ['logins', method, 'refused'],
      ]),
    ['second_factor', 'yes'],
    ['second_factor', 'no'],
    ...accountWays.map((way) => ['accounts_created', way]),
    ['account_lockouts'],
    ['sessions_started'],
    ['throttled', 'login'],
    ['throttled', 'requests'],
  ])
}

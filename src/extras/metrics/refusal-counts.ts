import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { type Counted, Counters } from '../../core/measurements/counters.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import { errorsOf } from '../../core/module/registry.ts'

/** The logins and refusals of a process, by labels that no caller can make grow. */
export interface RefusalCounts {
  /** Takes a refusal; see `refusalListeners` of http/server/error-handler.ts. */
  take(request: FastifyRequest, error: ApiError): void
  logins(): readonly Counted[]
  /** By name of the error. */
  errors(): readonly Counted[]
  throttled(): readonly Counted[]
}

/**
 * Counts refusals from the answers, and successful logins from their events: each request of a login
 * ends in one of the two. The name of the error tells no more than the answer did: a reader of the
 * metrics who sends logins must not learn from a true reason which accounts there are.
 */
export function createRefusalCounts({
  measurements: { loginsSucceeded },
  modules,
}: {
  readonly measurements: Pick<Measurements, 'loginsSucceeded'>
  readonly modules: readonly ModuleNames[]
}): RefusalCounts {
  const errors = new Counters(Object.keys(errorsOf(modules)).map((name) => [name]))
  const refusedLogins = new Counters(usualLogins)
  const throttled = new Counters([['login'], ['requests']])
  return {
    take(request, error) {
      const name = nameOf(error)
      errors.add([name])
      const method = refusedMethodOf(request, name)
      if (method) refusedLogins.add([method, 'refused', name])
      if (name === 'tooManyLoginAttempts') throttled.add(['login'])
      if (name === 'tooManyRequests') throttled.add(['requests'])
    },
    logins: () => [
      ...loginsSucceeded.entries().map(({ values: [route = ''], count }) => ({
        values: [methodOf(route) ?? 'other', 'success', 'none'],
        count,
      })),
      ...refusedLogins.entries(),
    ],
    errors: () => errors.entries(),
    throttled: () => throttled.entries(),
  }
}

const usualLogins = [
  ['password', 'success', 'none'],
  ['provider', 'success', 'none'],
  ['password', 'refused', 'invalidCredentials'],
  ['password', 'refused', 'tooManyLoginAttempts'],
  ['password', 'refused', 'secondFactorRequired'],
  ['provider', 'refused', 'signInFailed'],
  ['basic', 'refused', 'authenticationRequired'],
  ['basic', 'refused', 'tooManyLoginAttempts'],
  ['client', 'refused', 'invalidClient'],
]

function nameOf({ row }: ApiError): string {
  return typeof row === 'string' ? row : row.name
}

/** The method of login that a route is for; null for any other route. */
function methodOf(route: string): string | null {
  if (route === '/login') return 'password'
  return providerRoute.test(route) ? 'provider' : null
}

const providerRoute = /^\/oauth\/(?:[^/]+\/)?(?:callback|second-factor)$/

/** The errors of HTTP Basic: of an account, and of a client. */
const basicErrors: Readonly<Record<string, string>> = {
  authenticationRequired: 'basic',
  invalidClient: 'client',
}

/** The method of a login that was refused; null if the request was none. */
function refusedMethodOf(request: FastifyRequest, error: string): string | null {
  const { url = '' } = request.routeOptions
  const method = methodOf(url)
  if (method) return method
  const sendsBasic = /^basic /i.test(request.headers.authorization ?? '')
  if (!sendsBasic || request.principal) return null
  return error === 'tooManyLoginAttempts' ? 'basic' : (basicErrors[error] ?? null)
}

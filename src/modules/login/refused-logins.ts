import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'

/** The method of a login that was refused; null if the request was none of its logins. */
type MethodOf = (request: FastifyRequest, error: string) => string | null

/** The methods of other modules, which add theirs. */
export const refusedMethods = (): MethodOf[] => []

const passwordRoutes: ReadonlySet<string> = new Set(['POST /login', 'POST /signin'])

/** The method of a refused login, for the time series. */
export function methodOfRefused(
  request: FastifyRequest,
  error: string,
  others: readonly MethodOf[],
): string | null {
  for (const methodOf of others) {
    const method = methodOf(request, error)
    if (method !== null) return method
  }
  const { url = '' } = request.routeOptions
  if (passwordRoutes.has(`${request.method} ${url}`)) return 'password'
  if (providerRoute.test(url)) return 'provider'
  const isOfBasic = error === 'authenticationRequired' || error === 'tooManyLoginAttempts'
  return isOfBasic && sendsBasic(request) ? 'basic' : null
}

/** Errors that ask a login for a further step. */
const steps: ReadonlySet<string> = new Set([
  'captchaRequired',
  'enrolmentRequired',
  'passwordChangeRequired',
  'secondFactorRequired',
])

/** How a login ended: `incomplete` asked for a further step, `failed` is a fault of the service. */
export function resultOfRefused({ status }: ApiError, error: string): string {
  if (steps.has(error)) return 'incomplete'
  if (status === 429) return 'throttled'
  return status >= 500 ? 'failed' : 'refused'
}

/** The method of login that a route is for, as metrics name it; null for any other route. */
export function methodOfRoute(route: string): string | null {
  if (route === '/login') return 'password'
  return providerRoute.test(route) ? 'provider' : null
}

const providerRoute = /^\/oauth\/(?:[^/]+\/)?(?:callback|second-factor)$/

/** The errors of HTTP Basic: of an account, and of a client. */
const basicErrors: Readonly<Record<string, string>> = {
  authenticationRequired: 'basic',
  invalidClient: 'client',
  tooManyLoginAttempts: 'basic',
}

/** The method of a login that was refused, as metrics name it; null if the request was no login. */
export function measuredMethodOfRefused(request: FastifyRequest, error: string): string | null {
  const method = methodOfRoute(request.routeOptions.url ?? '')
  return method ?? (sendsBasic(request) ? (basicErrors[error] ?? null) : null)
}

function sendsBasic({ headers, principal }: FastifyRequest): boolean {
  return /^basic /i.test(headers.authorization ?? '') && !principal
}

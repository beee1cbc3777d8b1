import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'

/** Null if the request was no login of the module. */
type MethodOf = (request: FastifyRequest, error: string) => string | null

/** Modules add their methods. */
export const refusedMethods = (): MethodOf[] => []

/** The methods of modules, by the `amr` value of each. */
export const methodsByAmr = () => new Map<string, string>()

const passwordRoutes: ReadonlySet<string> = new Set(['POST /login', 'POST /signin'])

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

/** Errors that request a further step. */
const steps: ReadonlySet<string> = new Set([
  'captchaRequired',
  'enrolmentRequired',
  'passwordChangeRequired',
  'secondFactorRequired',
])

/** `incomplete`: a further step is required; `failed`: a server error. */
export function resultOfRefused({ status }: ApiError, error: string): string {
  if (steps.has(error)) return 'incomplete'
  if (status === 429) return 'throttled'
  return status >= 500 ? 'failed' : 'refused'
}

/** As named in metrics; null for other routes. */
export function methodOfRoute(route: string): string | null {
  if (route === '/login') return 'password'
  return providerRoute.test(route) ? 'provider' : null
}

const providerRoute = /^\/oauth\/(?:[^/]+\/)?(?:callback|second-factor)$/

/** HTTP Basic errors of accounts and clients. */
const basicErrors: Readonly<Record<string, string>> = {
  authenticationRequired: 'basic',
  invalidClient: 'client',
  tooManyLoginAttempts: 'basic',
}

/** As named in metrics; null if the request was no login. */
export function measuredMethodOfRefused(request: FastifyRequest, error: string): string | null {
  const method = methodOfRoute(request.routeOptions.url ?? '')
  return method ?? (sendsBasic(request) ? (basicErrors[error] ?? null) : null)
}

function sendsBasic({ headers, principal }: FastifyRequest): boolean {
  return /^basic /i.test(headers.authorization ?? '') && !principal
}

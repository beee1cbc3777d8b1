import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../core/errors.ts'
import { errorNameOf } from '../../core/http/declared-error.ts'
import { Counters } from '../../core/measurements/counters.ts'
import type { Measurements } from '../../core/measurements/measurements.ts'
import type { loginMethods, loginResults } from '../../core/measurements/series.ts'

type Method = (typeof loginMethods)[number]
type Result = (typeof loginResults)[number]

/** The refusals of this process. */
export interface RefusalTally {
  /** Takes a refusal; see `refusalListeners` of http/server/error-handler.ts. */
  take(request: FastifyRequest, error: ApiError): void
  /** By the code of the reason, which the registry knows the guard of. */
  readonly codes: Counters
}

/** More codes than the registry has. */
const maxCodes = 512

/** Counts refusals, and those of logins by method: a login that succeeds is told by its event. */
export function createRefusalTally({ series }: Pick<Measurements, 'series'>): RefusalTally {
  const codes = new Counters([], maxCodes)
  return {
    codes,
    take(request, error) {
      const name = errorNameOf(error.row)
      codes.add([error.reason.code])
      if (name === 'tooManyLoginAttempts') series.add(['throttled', 'login'])
      if (name === 'tooManyRequests') series.add(['throttled', 'requests'])
      const method = methodOf(request, name)
      if (method) series.add(['logins', method, resultOf(error, name)])
    },
  }
}

const logins: Readonly<Record<string, Method>> = {
  'POST /login': 'password',
  'POST /signin': 'password',
  'PUT /api/public/sign-in-code': 'mail',
}
const providerRoute = /^\/oauth\/(?:[^/]+\/)?(?:callback|second-factor)$/

/** The method of a login that was refused; null if the request was none. */
function methodOf(request: FastifyRequest, error: string): Method | null {
  const { url = '' } = request.routeOptions
  const method = logins[`${request.method} ${url}`]
  if (method) return error === 'confirmationInvalid' ? 'mail' : method
  if (providerRoute.test(url)) return 'provider'
  const sendsBasic = /^basic /i.test(request.headers.authorization ?? '')
  const isOfBasic = error === 'authenticationRequired' || error === 'tooManyLoginAttempts'
  return sendsBasic && isOfBasic && !request.principal ? 'basic' : null
}

/** Errors that ask a login for a further step. */
const steps: ReadonlySet<string> = new Set([
  'captchaRequired',
  'enrolmentRequired',
  'passwordChangeRequired',
  'secondFactorRequired',
])

function resultOf({ status }: ApiError, error: string): Result {
  if (steps.has(error)) return 'incomplete'
  if (status === 429) return 'throttled'
  return status >= 500 ? 'failed' : 'refused'
}

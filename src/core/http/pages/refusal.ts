import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../errors.ts'
import { errorNameOf } from '../declared-error.ts'
import { type ViewPage, viewPage } from './send-view.ts'
import type { RefusalName } from './views/refusal.ts'

/** The errors, and other names of refusals, for which `web/languages` has words. */
const named: Readonly<Record<RefusalName, true>> = {
  accessDenied: true,
  consoleElsewhere: true,
  enrolmentRequired: true,
  identityLinked: true,
  identityProvider: true,
  invalidCredentials: true,
  pageNotFound: true,
  passwordChangeRequired: true,
  routeNotFound: true,
  serviceUnavailable: true,
  signInFailed: true,
  tooManyLoginAttempts: true,
  tooManyRequests: true,
}

/**
 * The page of a refusal, with the words of `name`; `again` is where the same flow begins, if that can
 * help.
 */
export function refusalPage(
  { row, message, retryAfterSeconds, extra }: ApiError,
  request: FastifyRequest,
  again: string | null,
  name: string = errorNameOf(row),
): ViewPage {
  const token = extra?.enrolment_token
  return viewPage('refusal', {
    error: name in named ? (name as RefusalName) : null,
    message,
    requestId: request.id,
    retryAfterSeconds: retryAfterSeconds ?? null,
    again,
    enrolmentToken: typeof token === 'string' ? token : null,
  })
}

import type { FastifyRequest } from 'fastify'
import type { ApiError, ErrorName } from '../../kernel/errors.ts'
import { errorNameOf } from '../declared-error.ts'
import { type ViewPage, viewPage } from './send-view.ts'
import type { RefusalName } from './views/refusal.ts'

/** The errors for which `web/languages` has words. */
const named: Readonly<Record<RefusalName, true>> = {
  accessDenied: true,
  consoleElsewhere: true,
  enrolmentRequired: true,
  identityLinked: true,
  identityProvider: true,
  invalidCredentials: true,
  passwordChangeRequired: true,
  routeNotFound: true,
  serviceUnavailable: true,
  signInFailed: true,
  tooManyLoginAttempts: true,
  tooManyRequests: true,
} satisfies Partial<Record<ErrorName | 'consoleElsewhere', true>>

/** The page of a refusal, with its words; `again` is where the same flow begins, if that can help. */
export function refusalPage(
  { row, message, retryAfterSeconds, extra }: ApiError,
  request: FastifyRequest,
  again: string | null,
): ViewPage {
  const name = errorNameOf(row)
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

import type { FastifyRequest } from 'fastify'
import type { ApiError } from '../../errors.ts'
import { errorNameOf } from '../declared-error.ts'
import { type ViewPage, viewPage } from './send-view.ts'

/** Error page with the texts of `name`; `again` restarts the flow. */
export function refusalPage(
  { row, message, retryAfterSeconds, extra }: ApiError,
  request: FastifyRequest,
  again: string | null,
  name: string = errorNameOf(row),
): ViewPage {
  const token = extra?.enrolment_token
  return viewPage('refusal', {
    error: name,
    message,
    requestId: request.id,
    retryAfterSeconds: retryAfterSeconds ?? null,
    again,
    enrolmentToken: typeof token === 'string' ? token : null,
  })
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ApiError } from '../../errors.ts'
import { errorNameOf } from '../declared-error.ts'
import { prefersPage, varyBy, varyByAccept } from './negotiation.ts'
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

/** First path segments for programs. */
const forPrograms = new Set(['api', 'users', 'oauth', 'health', '.well-known'])

/** The 404 page for browser navigation outside program paths; null otherwise. Extends `Vary`. */
export function unknownPage(
  error: ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
): ViewPage | null {
  if (!request.is404 || error.row !== 'routeNotFound' || isForPrograms(request.url)) return null
  varyByAccept(reply)
  varyBy(reply, 'Sec-Fetch-Mode')
  if (request.headers['sec-fetch-mode'] !== 'navigate' || !prefersPage(request)) return null
  return refusalPage(error, request, null, 'pageNotFound')
}

function isForPrograms(url: string): boolean {
  const [first = ''] = url.replace(/^(?:https?:\/\/[^/]*)?\/+/i, '').split(/[/?#;]/)
  return forPrograms.has(decoded(first).toLowerCase())
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendView } from '../../../core/http/pages/send-view.ts'

/**
 * A link from another site arrives without the Strict session cookie. Load the page again from our
 * own site: a signed-in person must not be treated as anonymous.
 */
export function isFromElsewhere({ headers, query }: FastifyRequest): boolean {
  const { here } = query as { here?: unknown } // parsed by Fastify
  return headers['sec-fetch-site'] === 'cross-site' && here === undefined
}

/** Keeps the query of the request. */
export function arrive(request: FastifyRequest, reply: FastifyReply, path: string) {
  const query = new URLSearchParams(request.url.split('?').slice(1).join('?'))
  query.set('here', '1')
  return sendView(reply, request, 'sign-in-arrival', { path: `${path}?${query}` })
}

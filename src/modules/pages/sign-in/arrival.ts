import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendView } from '../../../core/http/pages/send-view.ts'

/**
 * Whether another site has led the browser here without its session: the cookie is Strict, so a page
 * of our own looks once more, and who is signed in is not taken for a stranger.
 */
export function isFromElsewhere({ headers, query }: FastifyRequest): boolean {
  const { here } = query as { here?: unknown } // parsed by Fastify
  return headers['sec-fetch-site'] === 'cross-site' && here === undefined
}

/** The page that loads a path of ours once more, with the query of the request. */
export function arrive(request: FastifyRequest, reply: FastifyReply, path: string) {
  const query = new URLSearchParams(request.url.split('?').slice(1).join('?'))
  query.set('here', '1')
  return sendView(reply, request, 'sign-in-arrival', { path: `${path}?${query}` })
}

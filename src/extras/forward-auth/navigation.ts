import type { FastifyRequest } from 'fastify'
import { prefersPage } from '../../core/http/pages/negotiation.ts'

/**
 * By Fetch Metadata, or without them if the client prefers HTML. Frames and scripts cannot show a
 * sign-in, and WebSockets follow no redirect.
 */
export function isNavigation(request: FastifyRequest): boolean {
  const { headers } = request
  if (headers.upgrade !== undefined) return false
  const mode = headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate' && headers['sec-fetch-dest'] === 'document'
  return headers['x-requested-with'] === undefined && prefersPage(request)
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import { digest } from '../../crypto/digest.ts'

/** Entity tags and If-Match (RFC 9110 sections 8.8.3, 13.1.1) prevent lost updates. */

/** Checked in the transaction of the change. */
export type Precondition<Thing> = (current: Thing) => boolean

// Long enough to exclude collisions between states.
const tagLength = 22

/** Strong tag of a representation. */
function entityTag(shown: object): string {
  return `"${digest(JSON.stringify(shown)).slice(0, tagLength)}"`
}

/** @param part the stable part, if other fields change automatically */
export function tagged<Shown extends object>(
  reply: FastifyReply,
  shown: Shown,
  part: object = shown,
): Shown {
  reply.header('etag', entityTag(part))
  return shown
}

/**
 * Undefined if absent or `*`. Strong comparison: weak and malformed tags never match.
 * @throws Error if the route does not declare the header
 */
export function ifMatch<Thing extends object>(
  { headers, routeOptions }: FastifyRequest,
  show: (current: Thing) => object = (current) => current,
): Precondition<Thing> | undefined {
  const { config, url } = routeOptions
  if (!config.requestHeaders?.includes('if-match')) throw new Error(`${url} declares no If-Match`)
  const header = headers['if-match']
  if (header === undefined) return undefined
  const wanted = header.split(',').map((tag) => tag.trim())
  if (wanted.length === 1 && wanted[0] === '*') return undefined // the resource exists
  return (current) => wanted.includes(entityTag(show(current)))
}

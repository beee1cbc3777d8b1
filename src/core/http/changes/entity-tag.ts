import type { FastifyReply, FastifyRequest } from 'fastify'
import { digest } from '../../crypto/digest.ts'

/**
 * Entity tags and If-Match, RFC 9110 sections 8.8.3 and 13.1.1. They prevent lost updates: a change
 * of a resource that has changed meanwhile is refused (412).
 */

/** Whether the current state, read in the transaction of the change, meets the precondition. */
export type Precondition<Thing> = (current: Thing) => boolean

// Long enough that two states of a resource never have the same tag.
const tagLength = 22

/** Computes the strong tag of a representation; every change of a field changes it. */
function entityTag(shown: object): string {
  return `"${digest(JSON.stringify(shown)).slice(0, tagLength)}"`
}

/**
 * Sets the ETag of a representation, and answers the representation.
 * @param part what the tag is computed of, where the rest changes by itself
 */
export function tagged<Shown extends object>(
  reply: FastifyReply,
  shown: Shown,
  part: object = shown,
): Shown {
  reply.header('etag', entityTag(part))
  return shown
}

/**
 * Parses If-Match to a precondition; undefined if the header is absent or `*`. The comparison is
 * strong, so weak tags and malformed ones match nothing.
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
  if (wanted.length === 1 && wanted[0] === '*') return undefined // met, because the resource exists
  return (current) => wanted.includes(entityTag(show(current)))
}

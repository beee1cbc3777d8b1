import type { FastifyReply, FastifyRequest } from 'fastify'
import { digest } from '../../kernel/digest.ts'

/**
 * Entity tags and If-Match, RFC 9110 sections 8.8.3 and 13.1.1: whoever changes what somebody else
 * has changed meanwhile is told so (412) instead of overwriting it.
 */

/** Whether the thing as it is now, inside the transaction that changes it, is the one that is meant. */
export type Precondition<Thing> = (current: Thing) => boolean

// Enough that no two states of one thing ever share a tag.
const tagLength = 22

/** The strong tag of what is shown: it differs as soon as any shown field does. */
function entityTag(shown: object): string {
  return `"${digest(JSON.stringify(shown)).slice(0, tagLength)}"`
}

/** Sends ETag, and answers what is shown. */
export function tagged<Shown extends object>(reply: FastifyReply, shown: Shown): Shown {
  reply.header('etag', entityTag(shown))
  return shown
}

/**
 * What the request's If-Match demands of the thing as it is shown; undefined where it demands nothing.
 * A weak tag equals nothing (the comparison is a strong one), nor does what is no tag at all.
 * @throws Error where the route does not declare the header
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
  if (wanted.length === 1 && wanted[0] === '*') return undefined // the thing exists: that is all
  return (current) => wanted.includes(entityTag(show(current)))
}

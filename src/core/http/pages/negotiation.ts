import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { mediaTypes } from '../media-types.ts'

// The first is the answer to a request that has no preference, as `*/*` of curl and fetch.
const offered = [mediaTypes.json, mediaTypes.html]

// Longer than that of any browser. Reading a header of 16 kB takes as long as hundreds of requests.
const maxLength = 1024

/**
 * Whether the client prefers a page to JSON, as a browser's navigation does. RFC 9110 section
 * 12.5.1. A request that accepts neither, or whose header is very long, gets JSON.
 */
export function prefersPage({ headers }: FastifyRequest): boolean {
  if ((headers.accept?.length ?? 0) > maxLength) return false
  return new Negotiator({ headers }).mediaType(offered) === mediaTypes.html
}

/** Adds `Accept` to the Vary header. */
export function varyByAccept(reply: FastifyReply): void {
  varyBy(reply, 'Accept')
}

/** Adds the name of a request header to the Vary header, which CORS may have set. RFC 9110 section 12.5.5. */
export function varyBy(reply: FastifyReply, name: string): void {
  const others = [reply.getHeader('vary') ?? []].flat().join(', ')
  reply.header('vary', others === '' ? name : `${others}, ${name}`)
}

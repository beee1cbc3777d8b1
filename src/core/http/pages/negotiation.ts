import type { FastifyReply, FastifyRequest } from 'fastify'
import Negotiator from 'negotiator'
import { mediaTypes } from '../media-types.ts'

// The first is the answer to a request that has no preference, as `*/*` of curl and fetch.
const offered = [mediaTypes.json, mediaTypes.html]

// Longer than any browser's; parsing 16 kB costs as much as hundreds of requests.
const maxLength = 1024

/** As browser navigation does. RFC 9110 section 12.5.1. Very long headers get JSON. */
export function prefersPage({ headers }: FastifyRequest): boolean {
  if ((headers.accept?.length ?? 0) > maxLength) return false
  return new Negotiator({ headers }).mediaType(offered) === mediaTypes.html
}

export function varyByAccept(reply: FastifyReply): void {
  varyBy(reply, 'Accept')
}

/** Appends to Vary, which CORS may have set. RFC 9110 section 12.5.5. */
export function varyBy(reply: FastifyReply, name: string): void {
  const others = [reply.getHeader('vary') ?? []].flat().join(', ')
  reply.header('vary', others === '' ? name : `${others}, ${name}`)
}

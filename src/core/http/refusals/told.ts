import type { FastifyRequest } from 'fastify'

// Not a field of the request, which most requests would never set.
const told = new WeakSet<FastifyRequest>()

/** Notes that the refusal of a request is told where its cause is known, with what is known there. */
export function markRefusalTold(request: FastifyRequest): void {
  told.add(request)
}

/** Whether an event tells of the refusal of a request already. */
export function isRefusalTold(request: FastifyRequest): boolean {
  return told.has(request)
}

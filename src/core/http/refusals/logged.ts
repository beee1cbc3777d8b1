import type { FastifyRequest } from 'fastify'

// Not a field of the request, which most requests would never set.
const logged = new WeakSet<FastifyRequest>()

/** Marks the refusal of a request as logged by the code that knows its cause. */
export function markAsLogged(request: FastifyRequest): void {
  logged.add(request)
}

/** Whether an event was emitted for the refusal of a request. */
export function isLogged(request: FastifyRequest): boolean {
  return logged.has(request)
}

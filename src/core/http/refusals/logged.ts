import type { FastifyRequest } from 'fastify'

// A WeakSet, because most requests never need a field.
const logged = new WeakSet<FastifyRequest>()

/** Called by code that knows the cause and emits the event. */
export function markAsLogged(request: FastifyRequest): void {
  logged.add(request)
}

export function isLogged(request: FastifyRequest): boolean {
  return logged.has(request)
}

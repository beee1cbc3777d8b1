import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Logs route pattern and ids at `debug`, never names, queries, headers or bodies: erasure cannot
 * reach logs. A signal changes the level.
 */
export function logAtEnd(request: FastifyRequest, reply: FastifyReply): void {
  const beganAt = performance.now()
  reply.raw.once('close', () => {
    request.log.debug(
      {
        request_id: request.id,
        method: request.method,
        ids: idsOf(request.params),
        route: request.routeOptions.url,
        status: reply.statusCode,
        milliseconds: Math.round(performance.now() - beganAt),
      },
      'request',
    )
  })
}

/** Only ids: a numeric username may be a telephone number. */
function idsOf(params: unknown): Record<string, number> {
  const { id } = { ...(params as { readonly id?: unknown }) }
  return /^[0-9]{1,15}$/.test(String(id)) ? { id: Number(id) } : {}
}

import type { FastifyReply, FastifyRequest } from 'fastify'

/**
 * Logs a line at `debug` when a request is answered: the pattern of its route with the ids of the path, never
 * a name, a query, a header or a body, because an erasure cannot reach the lines of a log. Asked for each
 * request, because a signal changes the level.
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

/** The id in a path; not a username, which may be a number, such as a telephone number. */
function idsOf(params: unknown): Record<string, number> {
  const { id } = { ...(params as { readonly id?: unknown }) }
  return /^[0-9]{1,15}$/.test(String(id)) ? { id: Number(id) } : {}
}

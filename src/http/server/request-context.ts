import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { EventContext } from '../../events/context.ts'
import { clientAddress } from '../limits/client-address.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The actor, address and scheme that the events of this request name. */
    eventContext(): EventContext
    /** The client's address if a trusted caller names it (http/routes/login-address.ts). */
    namedAddress?: string | null
  }
}

/**
 * Adds `eventContext` to requests. pipelining.ts runs each request in an asynchronous context of
 * its own, so that events name its caller. The context holds the request, which is read only when
 * an event is recorded. Fastify keeps the context while it reads a body.
 */
export const requestContext = plugin(async (app) => {
  app.decorateRequest('eventContext', contextOf)
})

function contextOf(this: FastifyRequest): EventContext {
  return {
    by: this.principal?.subject ?? null,
    address: this.namedAddress ?? clientAddress(this),
    scheme: this.principal?.credential.scheme ?? null,
    requestId: this.id,
  }
}

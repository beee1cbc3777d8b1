import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { EventContext } from '../../events/context.ts'
import { clientAddress } from './client-address.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who does what is done for this request. */
    eventContext(): EventContext
    /** The client, where a trusted caller names it (http/login-address.ts). */
    namedAddress?: string | null
  }
}

/**
 * What the context of a request tells: pipelining.ts starts each request in its own, so that what is
 * recorded names its caller. The request itself is what the context asks, and nothing is read before
 * an event is recorded. Fastify keeps the context over the reading of a body.
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

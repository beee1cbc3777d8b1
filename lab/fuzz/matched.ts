import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { documentedPath } from '../../test/openapi/operations.ts'
import { matchedHeader } from './checks.ts'

/** Each answer of servers that this process creates from now on names its route by a header. */
export function markServers(): { readonly servers: readonly FastifyInstance[]; stop(): void } {
  const servers: FastifyInstance[] = []
  const mark = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    servers.push(fastify)
    fastify.addHook('onRequest', (request, reply, done) => {
      reply.header(matchedHeader, matchedBy(request))
      done()
    })
  }
  subscribe('fastify.initialization', mark)
  return { servers, stop: () => unsubscribe('fastify.initialization', mark) }
}

/** The method and the path as the document has them; `-`: of no route, `~`: not in the document. */
function matchedBy({ method, routeOptions, params, is404 }: FastifyRequest): string {
  const { url, config, schema } = routeOptions
  const asked = method === 'HEAD' ? 'GET' : method
  // A client that fills in a path leaves no part of it empty.
  const isEmpty = Object.values(params as object).includes('')
  if (url === undefined || is404 || isEmpty) return `${asked} -`
  return !config.access || schema?.hide === true ? `${asked} ~` : `${asked} ${documentedPath(url)}`
}

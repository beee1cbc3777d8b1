import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { rooms } from '../../src/rooms.ts'
import { start } from '../../src/start.ts'
import { documentedPath } from '../../test/openapi/operations.ts'
import { type Injected, injectInto } from './inject.ts'

/**
 * The service as `npm start` starts it, in a process of its own, with two additions: each answer has a
 * header that names the route that made it, and a message of the parent is a request without a socket.
 */
let server: FastifyInstance | undefined

subscribe('fastify.initialization', (message) => {
  const { fastify } = message as { fastify: FastifyInstance }
  server ??= fastify
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header('x-matched-route', matchedBy(request))
    done()
  })
})

/** The method and the path as the document has them; `-`: of no route, `~`: not in the document. */
function matchedBy({ method, routeOptions, params, is404 }: FastifyRequest): string {
  const { url, config, schema } = routeOptions
  const asked = method === 'HEAD' ? 'GET' : method
  // A client that fills in a path leaves no part of it empty.
  const isEmpty = Object.values(params as object).includes('')
  if (url === undefined || is404 || isEmpty) return `${asked} -`
  return !config.access || schema?.hide === true ? `${asked} ~` : `${asked} ${documentedPath(url)}`
}

process.on('message', async ({ number, request }: { number: number; request: Injected }) => {
  if (!server) return
  const answer = await injectInto(server, request).catch((error: unknown) => String(error))
  process.send?.({ number, answer })
})

const more = process.env.FUZZ_ROOM ? [(await import(process.env.FUZZ_ROOM)).room] : []
delete process.env.FUZZ_ROOM
await start(process.env, [...rooms, ...more])

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { http } from '../../lib/node-http.ts'
import { type Connections, prepareConnections } from './connections.ts'
import { requestClasses, takeRequests } from './node-requests.ts'
import { answer, onClientError } from './parser-errors.ts'
import { isMisshapen } from './request-shape.ts'

/** For an additional port, with the limits and error responses of the service. */
export function nodeServer(respond: (request: IncomingMessage, response: ServerResponse) => void): {
  readonly server: Server
  readonly connections: Connections
} {
  const server = http.createServer(
    {
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: checkIntervalMs,
      ...requestClasses,
      requireHostHeader: false, // Node's response would be empty
    },
    (request, response) => {
      if (isMisshapen(request)) answer(response, 'badRequest')
      else respond(request, response)
    },
  )
  const connections = prepareConnections(server)
  takeRequests(server)
  server.on('clientError', onClientError)
  return { server, connections }
}

/**
 * For TLS handshake, header and whole request; also the check interval. Node's and Fastify's
 * defaults are much longer.
 */
export const handshakeTimeoutMs = 10_000
export const headersTimeoutMs = 10_000
export const requestTimeoutMs = 15_000
export const checkIntervalMs = 1_000

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { errorTable } from '../../error-table.ts'
import type { ErrorName } from '../../errors.ts'
import { http } from '../../lib/node-http.ts'
import type { Counters } from '../../measurements/counters.ts'
import { securityHeaders } from '../headers.ts'
import { contentTypes } from '../media-types.ts'
import {
  answerAheadOf,
  endWith,
  isOver,
  lastAnswerOf,
  serveNoMore,
  transportOf,
} from './connections.ts'

/** Connections to reject after the pending response. */
const refused = new WeakSet<Duplex>()
/** Requests whose routes have their own time limit. */
const withoutTimeout = new WeakSet<IncomingMessage>()

/** Removes the limit on the request time. */
export function disableRequestTimeout(request: IncomingMessage): void {
  withoutTimeout.add(request)
}

/** By server: counts of rejections before routing, by status. */
const unrouted = new WeakMap<object, Counters>()

export function countUnrouted(server: Server, counters: Counters): void {
  unrouted.set(server, counters)
}

/** Node stores the server on the socket. */
function countOn(socket: Duplex & { readonly server?: object | null }, status: number): void {
  if (socket.server) unrouted.get(socket.server)?.add([String(status)])
}

const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT'
const byCode: Readonly<Record<string, ErrorName>> = {
  HPE_HEADER_OVERFLOW: 'headerFieldsTooLarge',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'bodyTooLarge',
  [timedOut]: 'requestTimeout',
}

/**
 * Handles `clientError`: invalid HTTP, too long or too slow. Only a socket exists, possibly with a
 * pending response. Node would send no body.
 */
export function onClientError(error: Error & { code?: string }, socket: Duplex): void {
  const current = lastAnswerOf(socket)
  const isAnswering = current && !current.writableFinished
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  // Node reports the timeout once per request.
  if (error.code === timedOut && current && withoutTimeout.has(current.req)) return
  // Bytes after the last request or in a rejected body need not be HTTP.
  if (isOver(socket) && isAnswering && (current.req.complete || current.headersSent)) return
  const row = byCode[error.code ?? ''] ?? 'badRequest'
  // If the last request is incomplete, the error is in its body.
  const ahead = current?.req.complete ? current : current && answerAheadOf(current)
  if (!isAnswering) refuse(socket, row)
  else if (ahead) refuseBehind(ahead, socket, row)
  else if (current.headersSent) socket.destroy()
  else refuse(socket, row)
}

/** Rejects after a complete request's response, and serves no further request. */
function refuseBehind(current: ServerResponse, socket: Duplex, row: ErrorName): void {
  if (refused.has(socket)) return // every chunk causes an error
  refused.add(socket)
  current.once('finish', () => {
    if (socket.writable) refuse(socket, row)
  })
}

/** Writes an error to a bare connection and closes. */
export function refuse(socket: Duplex, row: ErrorName): void {
  const { status, error } = errorTable[row]
  countOn(socket, status)
  const body = JSON.stringify({ error })
  const lines = Object.entries(closingHeaders(body)).map(([name, value]) => `${name}: ${value}`)
  endWith(
    socket,
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  )
}

/** Responds without Fastify, after earlier responses, and closes. */
export function answer(
  response: ServerResponse,
  row: ErrorName,
  more: Readonly<Record<string, string | number>> = {},
): void {
  const { status, error } = errorTable[row]
  countOn(response.req.socket, status)
  const body = JSON.stringify({ error })
  serveNoMore(response.req.socket)
  response.writeHead(status, { ...closingHeaders(body), ...more })
  response.end(body)
}

function closingHeaders(body: string): Record<string, string | number> {
  return {
    ...securityHeaders,
    'content-type': contentTypes.json,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
}

/**
 * Node reports failed and slow TLS handshakes as `clientError` without a usable connection. Plain
 * HTTP gets a plain HTTP error; OpenSSL recognizes GET, HEAD, POST and PUT.
 */
export function endFailedHandshakes(server: Server): void {
  server.removeAllListeners('tlsClientError')
  server.on('tlsClientError', (error: Error & { code?: string }, socket: TLSSocket) => {
    const transport = transportOf(socket)
    if (error.code === 'ERR_SSL_HTTP_REQUEST' && transport?.writable) {
      refuse(transport, 'httpsRequired')
    } else {
      socket.destroy()
    }
  })
}

import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { errorTable } from '../../error-table.ts'
import type { ErrorName } from '../../errors.ts'
import { http } from '../../lib/node-http.ts'
import type { Counters } from '../../measurements/counters.ts'
import { securityHeaders } from '../headers.ts'
import { contentTypes } from '../media-types.ts'
import { answerAheadOf, endWith, isOver, lastAnswerOf, serveNoMore } from './connections.ts'

/** Connections that are refused as soon as the answer under way is sent. */
const refused = new WeakSet<Duplex>()
/**
 * Requests without the limit on the time of a whole request: their routes have a limit of their
 * own.
 */
const withoutTimeout = new WeakSet<IncomingMessage>()

/** Removes the limit on the time of a whole request, once its header has been read. */
export function disableRequestTimeout(request: IncomingMessage): void {
  withoutTimeout.add(request)
}

/** By server: the counts of what it refuses before a route is found, by status. */
const unrouted = new WeakMap<object, Counters>()

/** Counts the answers of a server that this file sends. */
export function countUnrouted(server: Server, counters: Counters): void {
  unrouted.set(server, counters)
}

/** Node keeps the server of a connection on its socket. */
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
 * Answers Node's event `clientError`: a request is not HTTP, too long or too slow. There is only a
 * socket, no response object, and another answer may be under way on it. Node itself would answer
 * without a body.
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
  // Bytes behind the last request of a connection, or in a body that is refused, need not be HTTP.
  if (isOver(socket) && isAnswering && (current.req.complete || current.headersSent)) return
  const row = byCode[error.code ?? ''] ?? 'badRequest'
  // If the last request is not complete, the error is in its body.
  const ahead = current?.req.complete ? current : current && answerAheadOf(current)
  if (!isAnswering) refuse(socket, row)
  else if (ahead) refuseBehind(ahead, socket, row)
  else if (current.headersSent) socket.destroy()
  else refuse(socket, row)
}

/** Refuses after the answer to a complete request; the connection serves no request after it. */
function refuseBehind(current: ServerResponse, socket: Duplex, row: ErrorName): void {
  if (refused.has(socket)) return // each further chunk causes an error of its own
  refused.add(socket)
  current.once('finish', () => {
    if (socket.writable) refuse(socket, row)
  })
}

/** Writes a refusal to a connection that has no response object, and closes it. */
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

/** Sends an answer without Fastify, after the earlier ones of the connection, and closes it. */
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

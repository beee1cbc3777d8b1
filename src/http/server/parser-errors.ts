import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorName, errorTable } from '../../kernel/errors.ts'
import { answerAheadOf, endWith, isOver, lastAnswerOf, serveNoMore } from './connections.ts'
import { securityHeaders } from './headers.ts'

// An import by name would load all that node:http exports, a client of its own among it.
const { STATUS_CODES: statusTexts } = process.getBuiltinModule('node:http')

/** Connections that are refused as soon as the answer under way is out. */
const refused = new WeakSet<Duplex>()
/** Requests whose bodies may take long: their routes have a limit of their own. */
const unhurried = new WeakSet<IncomingMessage>()

/** Lifts the limit on the time of a whole request from one whose header has come. */
export function letTakeItsTime(request: IncomingMessage): void {
  unhurried.add(request)
}

const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT'
const byCode: Readonly<Record<string, ErrorName>> = {
  HPE_HEADER_OVERFLOW: 'headerFieldsTooLarge',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'bodyTooLarge',
  [timedOut]: 'requestTimeout',
}

/**
 * Node's `clientError`: a request that is no HTTP, too long or too slow. There is no response
 * object, only the socket, on which another answer may be under way. Node's own answer would be
 * empty.
 */
export function onClientError(error: Error & { code?: string }, socket: Duplex): void {
  const current = lastAnswerOf(socket)
  const isAnswering = current && !current.writableFinished
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  // Told once per request.
  if (error.code === timedOut && current && unhurried.has(current.req)) return
  // What comes behind the last request of a connection, or in a body that is refused, need not be HTTP.
  if (isOver(socket) && isAnswering && (current.req.complete || current.headersSent)) return
  const row = byCode[error.code ?? ''] ?? 'badRequest'
  // Where the request that came last is not whole, the error is in its body.
  const ahead = current?.req.complete ? current : current && answerAheadOf(current)
  if (!isAnswering) refuse(socket, row)
  else if (ahead) refuseBehind(ahead, socket, row)
  else if (current.headersSent) socket.destroy()
  else refuse(socket, row)
}

/** A whole request came before: its answer goes out first. Nothing that comes is read any more. */
function refuseBehind(current: ServerResponse, socket: Duplex, row: ErrorName): void {
  if (refused.has(socket)) return // each further piece is an error of its own
  refused.add(socket)
  current.once('finish', () => {
    if (socket.writable) refuse(socket, row)
  })
}

function refuse(socket: Duplex, row: ErrorName): void {
  const { status, error } = errorTable[row]
  const body = JSON.stringify({ error })
  const lines = Object.entries(closingHeaders(body)).map(([name, value]) => `${name}: ${value}`)
  endWith(
    socket,
    `HTTP/1.1 ${status} ${statusTexts[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  )
}

/** An answer outside of Fastify, behind those before it; the connection ends with it. */
export function answer(
  response: ServerResponse,
  row: ErrorName,
  more: Readonly<Record<string, string | number>> = {},
): void {
  const { status, error } = errorTable[row]
  const body = JSON.stringify({ error })
  serveNoMore(response.req.socket)
  response.writeHead(status, { ...closingHeaders(body), ...more })
  response.end(body)
}

function closingHeaders(body: string): Record<string, string | number> {
  return {
    ...securityHeaders,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
}

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorName, errorTable } from '../kernel/errors.ts'
import { securityHeaders } from './headers.ts'

/** The answer that each connection is busy with; a parser error must not be written into its middle. */
const underWay = new WeakMap<Duplex, ServerResponse>()

/**
 * The answers that Node would give by itself, empty and without headers, or not at all: a request
 * that is no HTTP, too long, too slow, a CONNECT, or one that expects what nobody offers. They get
 * the contract's shape instead.
 */
export function answerParserErrors(server: Server): void {
  server.on('request', (request, response) => underWay.set(request.socket, response))
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    answer(response, 'badRequest')
  })
  server.on('connect', (_request, socket) => refuse(socket, 'badRequest'))
}

const byCode: Readonly<Record<string, ErrorName>> = {
  HPE_HEADER_OVERFLOW: 'headerFieldsTooLarge',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'bodyTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
}

/** Node's `clientError`: there is no response object, only the socket. */
export function onClientError(error: Error & { code?: string }, socket: Duplex): void {
  const current = underWay.get(socket)
  const isAnswering = current?.headersSent && !current.writableFinished
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy()
    return
  }
  refuse(socket, byCode[error.code ?? ''] ?? 'badRequest')
}

function refuse(socket: Duplex, row: ErrorName): void {
  const { status, error } = errorTable[row]
  const body = JSON.stringify({ error })
  const lines = Object.entries(closingHeaders(body)).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** An answer outside of Fastify, after which the connection ends. */
export function answer(response: ServerResponse, row: ErrorName): void {
  const { status, error } = errorTable[row]
  const body = JSON.stringify({ error })
  response.writeHead(status, closingHeaders(body))
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

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type ErrorName, errorTable } from '../kernel/errors.ts'
import { securityHeaders } from './headers.ts'

/**
 * The answers that Node would give by itself, empty and without headers: a request that is no
 * HTTP, too long, too slow, or expects what nobody offers. They get the contract's shape instead.
 */
export function answerParserErrors(server: Server): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    answer(response, 'badRequest')
  })
}

const byCode: Readonly<Record<string, ErrorName>> = {
  HPE_HEADER_OVERFLOW: 'headerFieldsTooLarge',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'bodyTooLarge',
  ERR_HTTP_REQUEST_TIMEOUT: 'requestTimeout',
}

/** Node's `clientError`: there is no response object, only the socket. */
export function onClientError(error: Error & { code?: string }, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, error: message } = errorTable[byCode[error.code ?? ''] ?? 'badRequest']
  const body = JSON.stringify({ error: message })
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

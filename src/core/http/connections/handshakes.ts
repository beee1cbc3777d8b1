import type { Server } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { transportOf } from './connections.ts'
import { refuse } from './parser-errors.ts'

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

import type { Server } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { transportOf } from './connections.ts'
import { refuse } from './parser-errors.ts'

/**
 * Handles the handshakes of a server that fail or take too long. Node reports them as errors of a
 * request (`clientError`), whose answer would need the TLS connection that was not made. A request in
 * plain HTTP is refused in plain HTTP; OpenSSL recognizes the methods GET, HEAD, POST and PUT.
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

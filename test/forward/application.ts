import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { after } from 'node:test'

/** A request as the application behind the proxy has seen it. */
export interface SeenRequest {
  readonly method: string
  readonly url: string
  /** By names in lower case; the values of a header that came more than once are in its list. */
  readonly headers: Readonly<Record<string, readonly string[]>>
  readonly isUpgrade: boolean
}

/** An application without any protection, which records what reaches it. */
export interface Application {
  readonly port: number
  /** What has reached it since `forget`. */
  readonly seen: readonly SeenRequest[]
  forget(): void
  /** The only request that has reached it since `forget`. */
  only(): SeenRequest
}

const magic = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11' // RFC 6455 section 1.3

/**
 * Starts the application. It answers what it has seen as a page, the size and the digest of a body as
 * JSON, and sends the frames of a WebSocket back.
 */
export async function startApplication(): Promise<Application> {
  const seen: SeenRequest[] = []
  const server = createServer((request, response) => {
    seen.push(seenOf(request, false))
    const hash = createHash('sha256')
    let bytes = 0
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      hash.update(chunk)
    })
    request.on('end', () => {
      if (request.method === 'POST') {
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ bytes, sha256: hash.digest('hex') }))
        return
      }
      // A cookie of its own, which must come back to it.
      response.setHeader('set-cookie', 'theme=dark; Path=/')
      if (request.url === '/strict') response.setHeader('strict-transport-security', 'max-age=60')
      response.setHeader('content-type', 'text/html')
      response.end(pageOf(request))
    })
  })
  server.on('upgrade', (request, socket) => {
    seen.push(seenOf(request, true))
    echo(request, socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    seen,
    forget: () => {
      seen.length = 0
    },
    only: () => {
      const [request, ...others] = seen
      if (!request || others.length > 0) throw new Error(`seen: ${JSON.stringify(seen)}`)
      return request
    },
  }
}

function seenOf(request: IncomingMessage, isUpgrade: boolean): SeenRequest {
  const headers: Record<string, string[]> = {}
  const { rawHeaders, method = '', url = '' } = request
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    headers[name] = [...(headers[name] ?? []), rawHeaders[index + 1] ?? '']
  }
  return { method, url, headers, isUpgrade }
}

function pageOf({ headers }: IncomingMessage): string {
  const user = headers['remote-user'] ?? 'unknown'
  return `<!doctype html><html lang="en"><title>Wiki</title><link rel="icon" href="data:,">
    <main><h1>Wiki</h1><p id="user">${user}</p></main></html>`
}

/** Accepts a WebSocket and sends back what it is sent: short frames alone. RFC 6455 section 5.2. */
function echo({ headers }: IncomingMessage, socket: Duplex): void {
  const accept = createHash('sha1')
    .update(`${headers['sec-websocket-key']}${magic}`)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  socket.on('error', () => socket.destroy())
  socket.on('data', (frame: Buffer) => {
    const [first = 0, second = 0] = frame
    const length = second & 0x7f
    const mask = frame.subarray(2, 6)
    const text = frame.subarray(6, 6 + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0))
    socket.write(Buffer.concat([Buffer.from([first, length]), text]))
    if ((first & 0x0f) === 0x08) socket.end() // a close
  })
}

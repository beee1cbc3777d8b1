import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import type { Certificate } from './self-signed.ts'

/** A syslog server on a loopback port, which keeps what it gets. */
export interface SyslogServer {
  readonly port: number
  /** The messages in the order of their arrival. */
  readonly messages: string[]
  close(): Promise<void>
}

export interface StreamOptions {
  readonly tls?: Certificate & { readonly ca?: string }
  /** Called with each connection in place of reading it. */
  readonly instead?: (socket: Socket, index: number) => boolean
  readonly port?: number
}

/** Listens for streams of octet-counted messages, RFC 6587 section 3.4.1. */
export async function syslogStream({
  tls,
  instead,
  port = 0,
}: StreamOptions = {}): Promise<SyslogServer> {
  const messages: string[] = []
  const sockets = new Set<Socket>()
  let count = 0
  const take = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    if (instead?.(socket, count++)) return
    let rest = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      for (;;) {
        const blank = rest.indexOf(' ')
        const length = Number(rest.subarray(0, blank).toString())
        if (blank < 0 || rest.length < blank + 1 + length) return
        messages.push(rest.subarray(blank + 1, blank + 1 + length).toString())
        rest = rest.subarray(blank + 1 + length)
      }
    })
  }
  const mutual = tls?.ca ? { ca: tls.ca, requestCert: true, rejectUnauthorized: true } : {}
  const server = tls ? createTlsServer({ ...tls, ...mutual }, take) : createServer(take)
  server.on('tlsClientError', () => {})
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port, // it listens on a port
    messages,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Listens for datagrams, RFC 5426. */
export async function syslogDatagrams(host: '127.0.0.1' | '::1'): Promise<SyslogServer> {
  const messages: string[] = []
  const socket = createSocket(host === '::1' ? 'udp6' : 'udp4')
  socket.on('message', (message) => messages.push(message.toString()))
  socket.bind(0, host)
  await once(socket, 'listening')
  return {
    port: socket.address().port,
    messages,
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

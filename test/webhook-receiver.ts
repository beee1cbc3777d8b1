import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterwards } from './afterwards.ts'

/** A message as it arrived. */
export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly id: string
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it expects of a body
  readonly body: any
}

export interface Receiver {
  readonly url: string
  /** In the order of their arrival. */
  readonly received: Received[]
  /** How it answers; 204 unless it is set. */
  answer: (message: Received, response: ServerResponse) => void
  close(): void
}

/** Starts a receiver of webhooks on loopback, which ends with the tests of the file. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    const text = (await Array.fromAsync(request.setEncoding('utf8'))).join('')
    const { headers, url: path = '' } = request
    const message = {
      path,
      headers,
      id: String(headers['webhook-id']),
      text,
      body: text.startsWith('{') ? JSON.parse(text) : text,
    }
    receiver.received.push(message)
    receiver.answer(message, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}`,
    received: [],
    answer: (_message, response) => void response.writeHead(204).end(),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
  afterwards(() => receiver.close())
  return receiver
}

/** The signatures that a message should have, by the specification and without our code. */
export function signaturesOf({ headers, text }: Received, secrets: readonly string[]): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`
      return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
    })
    .join(' ')
}

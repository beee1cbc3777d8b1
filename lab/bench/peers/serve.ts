import { once } from 'node:events'
import type { Server } from 'node:net'
import type { Ready } from '../processes.ts'

export interface Served {
  readonly server: Server
  /** If its own address is part of its settings. */
  readonly port?: number
  /** Runs when the server listens: what the clients need to know. */
  started?(url: string): Promise<Pick<Ready, 'headers'>>
}

/**
 * Starts a server at the first message from the parent, on a free loopback port, and answers the
 * port. The process ends with its parent.
 */
export function serve<Input>(make: (input: Input) => Promise<Served>): void {
  process.once('message', async (input) => {
    const { server, port = 0, started } = await make(input as Input) // sent by a part of the benchmark
    if (!server.listening) await once(server.listen(port, '127.0.0.1'), 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    const more = await started?.(`http://127.0.0.1:${address.port}`)
    process.send?.({ port: address.port, ...more })
  })
  process.once('disconnect', () => process.exit())
}

/** Sends a request that must succeed. */
export async function call(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return response
}

/** The cookies that an answer sets, as a request sends them. */
export function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';', 1)[0])
    .join('; ')
}

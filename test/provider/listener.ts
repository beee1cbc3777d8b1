import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'

/** The address of an application that takes logout tokens. */
export async function startListener() {
  const received: string[] = []
  let status = 200
  const server = createServer(async (request, response) => {
    const text = (await Array.fromAsync(request.setEncoding('utf8'))).join('')
    received.push(new URLSearchParams(text).get('logout_token') ?? '')
    response.writeHead(status).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo // it listens on a port
  after(() => server.close())
  const url = `http://127.0.0.1:${port}/logout`
  return { url, received, answer: (next: number) => (status = next) }
}

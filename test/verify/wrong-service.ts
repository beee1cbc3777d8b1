import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after } from 'node:test'
import { createSend } from '../../src/extras/verify/http.ts'

export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

export interface Told {
  status: number
  headers: Record<string, string>
  cookies: string[]
  text: string
}

/** Answers in place of the service, which `forward` asks. */
export type Spoil = (asked: Asked, forward: (asked: Asked) => Promise<Told>) => Promise<Told>

export interface WrongService {
  readonly url: string
  /** What is wrong from now on; undefined: nothing. */
  spoil: Spoil | undefined
}

/** Starts a wrong implementation: a proxy that changes requests and answers of a right one. */
export async function wrongService(url: string): Promise<WrongService> {
  const { send, close } = createSend({ url: new URL(url), ca: undefined, timeoutMs: 10_000 })
  const forward = async ({ body, headers, method, path }: Asked): Promise<Told> => {
    const sent = { method, path, headers, body: body === '' ? undefined : body }
    const answer = await send(sent)
    const {
      'transfer-encoding': _,
      'content-length': __,
      connection: ___,
      ...kept
    } = answer.headers
    return { status: answer.status, headers: kept, cookies: [...answer.cookies], text: answer.text }
  }
  const wrong: WrongService = { url: '', spoil: undefined }
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '' } = request
    const asked = { method, path, headers: headersOf(request.headers), body: await text(request) }
    const told = await (wrong.spoil ? wrong.spoil(asked, forward) : forward(asked))
    for (const [name, value] of Object.entries(told.headers)) response.setHeader(name, value)
    if (told.cookies.length > 0) response.setHeader('set-cookie', told.cookies)
    response.writeHead(told.status).end(told.text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    close()
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo // it listens on a port
  return Object.assign(wrong, { url: `http://127.0.0.1:${port}` })
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const { 'content-length': _, connection: __, host: ___, ...rest } = headers
  return Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]))
}

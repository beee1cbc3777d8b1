import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'

/** The exact bytes of a client: they are not normalised, checked or completed. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Exchange {
  /** All bytes until the server closed the connection. */
  readonly text: string
  readonly answers: readonly RawAnswer[]
}

export interface ExchangeOptions {
  /**
   * Half-closes the connection once this holds for the text so far; absent: the server closes it.
   */
  readonly endWhen?: (text: string) => boolean
  /** Called with the open socket when all bytes are written, and with the one of TCP below it. */
  readonly opened?: (socket: Socket, transport: Socket) => void
  /** Over TLS, whatever the certificate says; a text is the name that is asked for (SNI). */
  readonly tls?: boolean | string
}

const guardMs = 60_000 // a silent server fails the test instead of blocking it

/** Writes bytes to a port of loopback and reads until the connection is closed. */
export function exchange(
  port: number,
  bytes: string | Buffer,
  { endWhen, opened, tls = false }: ExchangeOptions = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const transport = connect({ port, host: '127.0.0.1', noDelay: true })
    const socket = tls
      ? connectTls({
          socket: transport,
          rejectUnauthorized: false,
          ...(tls !== true && { servername: tls }),
        })
      : transport
    let text = ''
    socket.setEncoding('latin1')
    socket.setTimeout(guardMs, () => {
      socket.destroy(new Error(`no end after ${JSON.stringify(String(bytes).slice(0, 200))}`))
    })
    socket.on(tls ? 'secureConnect' : 'connect', () => {
      socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
      opened?.(socket, transport)
    })
    socket.on('data', (chunk: string) => {
      text += chunk
      if (endWhen?.(text)) socket.end()
    })
    socket.on('error', (error: Error & { code?: string }) => {
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
    })
    socket.on('close', () => resolve({ text, answers: answersIn(text) }))
  })
}

/** Sends a request with `Connection: close`; answers its answer. */
export async function ask(
  port: number,
  requestLine: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<RawAnswer> {
  const { answers, text } = await exchange(port, rawRequest(requestLine, headers, body))
  const [answer] = answers
  if (!answer) throw new Error(`no answer to ${requestLine.slice(0, 200)}: ${text}`)
  return answer
}

/** A request with Host and `Connection: close`, unless the caller sets them. */
export function rawRequest(
  requestLine: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): string {
  const lines = Object.entries({ Host: 'localhost', Connection: 'close', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return `${requestLine}\r\n${lines.join('\r\n')}\r\n\r\n${body}`
}

/** Parses the final answers of a text in order; interim ones (1xx) are left out. */
export function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest.startsWith('HTTP/1.1 ')) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) break
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n')
    const headers: Record<string, string> = {}
    for (const line of lines) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).toLowerCase()
      const value = line.slice(colon + 1).trim()
      headers[name] = name in headers ? `${headers[name]}, ${value}` : value
    }
    rest = rest.slice(end + 4)
    const status = Number(statusLine.split(' ')[1])
    const length = headers['content-length']
    const body = length === undefined ? '' : rest.slice(0, Number(length))
    if (status >= 200) answers.push({ status, headers, body })
    rest = rest.slice(body.length)
  }
  return answers
}

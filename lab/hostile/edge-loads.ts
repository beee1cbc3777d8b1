import { connect, type Socket } from 'node:net'
import type { Load, Target } from './load.ts'

const head = (line: string, fields: readonly string[] = []) =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...fields].join('\r\n')}\r\n\r\n`
const json = 'Content-Type: application/json'
const upgrade = ['Connection: Upgrade', 'Upgrade: h2c']
const form = 'Content-Type: application/x-www-form-urlencoded'
const withBody = (type: string, body: string) =>
  head('POST /login', [type, `Content-Length: ${body.length}`]) + body

const login = withBody(json, '{"username":"unknown","password":"not the password"}')
const mebibyte = 1_048_576

export const loads: readonly Load[] = [
  load('CONNECT, then reset', 50, head('CONNECT example.org:443'), (socket) =>
    socket.once('data', () => socket.resetAndDestroy()),
  ),
  load('CONNECT, then nothing', 50, head('CONNECT example.org:443')),
  load('CONNECT behind a login', 50, login + head('CONNECT example.org:443')),
  load('a login, reset at once', 50, login, (socket) => socket.resetAndDestroy()),
  load('a& as a form, 16 KiB', 50, withBody(form, 'a&'.repeat(8192))),
  load('a& as a form, 1 MiB', 50, withBody(form, 'a&'.repeat(mebibyte / 2))),
  load('a body of 1 MiB', 400, withBody(json, ' '.repeat(mebibyte))),
  load(
    'a body of 16 KiB in chunks of one byte',
    50,
    `${head('POST /login', [json, 'Transfer-Encoding: chunked'])}${'1\r\n \r\n'.repeat(16_384)}0\r\n\r\n`,
  ),
  load(
    'a body of 16 KiB that never ends',
    400,
    `${head('POST /login', [json, 'Content-Length: 16384'])}${' '.repeat(16_000)}`,
  ),
  load(
    'a body of 16 KiB behind Upgrade that never ends',
    400,
    `${head('POST /login', [json, ...upgrade, 'Content-Length: 16384'])}${' '.repeat(16_000)}`,
  ),
]

/** Keeps a number of connections open, each with the same bytes; opens a new one after each. */
function load(
  name: string,
  connections: number,
  text: string,
  afterwards: (socket: Socket) => unknown = () => {},
): Load {
  const bytes = Buffer.from(text, 'latin1')
  return {
    name,
    async run(target, seconds) {
      const endsAt = performance.now() + seconds * 1000
      const answers: Record<string, number> = {}
      let sent = 0
      const again = async () => {
        while (performance.now() < endsAt) {
          sent += 1
          const left = endsAt - performance.now()
          const status = await once(target, bytes, left, afterwards)
          answers[status] = (answers[status] ?? 0) + 1
        }
      }
      await Promise.all(Array.from({ length: connections }, again))
      return { sent, answers }
    },
  }
}

/** The status of the last answer on a connection, at its end or after a time limit. */
function once(
  { host, port }: Target,
  bytes: Buffer,
  leftMs: number,
  afterwards: (socket: Socket) => unknown,
): Promise<string> {
  return new Promise((resolve) => {
    let status = 'closed'
    const socket = connect(port, host)
    const timer = setTimeout(() => socket.destroy(), leftMs)
    socket.on('error', () => {})
    socket.on('data', (piece) => {
      const found = [...piece.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)].at(-1)
      status = found?.[1] ?? status
      if (found && !/^connection: close/im.test(piece.toString('latin1'))) socket.end()
    })
    socket.on('connect', () => socket.write(bytes, () => afterwards(socket)))
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(status)
    })
  })
}

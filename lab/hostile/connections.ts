import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Sent, Target } from './load.ts'

const settleMs = 1_500

export function getRequest(path: string, authorization: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${authorization}\r\n\r\n`
}

/** Opens a connection, writes `bytes` and reads nothing until `resume`. */
export async function openUnread(
  { host, port }: Pick<Target, 'host' | 'port'>,
  bytes: string,
): Promise<Socket> {
  const { promise, resolve } = Promise.withResolvers<Socket>()
  const socket = connect({ host, port, noDelay: true })
  socket.pause() // before it is connected: Node would read ahead
  socket.on('error', () => resolve(socket))
  socket.on('connect', () => {
    socket.write(bytes)
    resolve(socket)
  })
  return promise
}

/** Reads unread connections; counts the statuses on them and the connections that were ended. */
export async function readRest(sockets: readonly Socket[], sent: number): Promise<Sent> {
  const answers: Record<string, number> = {}
  const count = (name: string) => {
    answers[name] = (answers[name] ?? 0) + 1
  }
  const closed = new Set<Socket>()
  for (const socket of sockets) {
    let rest = ''
    socket.on('close', () => closed.add(socket))
    if (socket.destroyed) closed.add(socket)
    socket.setEncoding('latin1').on('data', (part: string) => {
      const text = rest + part
      for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)) count(status)
      rest = text.slice(-12) // shorter than the pattern
    })
    socket.resume()
  }
  await wait(settleMs)
  for (const socket of sockets) {
    count(closed.has(socket) ? 'ended by the service' : 'still open')
    socket.destroy()
  }
  return { sent, answers }
}

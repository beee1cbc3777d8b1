import { connect } from 'node:net'
import { getRequest } from './connections.ts'
import type { Load, Sent, Target } from './load.ts'

const connections = 1500
const pipelined = 99
const medianMs = 250
const page = 'GET /signin HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n'

/** Loads of one client with very many connections, which reads its answers and connects again. */
export const loads: readonly Load[] = [
  {
    name: `${connections} connections with ${pipelined} pipelined GET /signin each`,
    medianMs,
    run: (target, seconds) => flood(target, seconds, page),
  },
  {
    name: `${connections} connections with ${pipelined} pipelined GET /api/me each`,
    medianMs,
    run: (target, seconds) => flood(target, seconds, getRequest('/api/me', target.user)),
  },
]

/** Opens a connection again when it has ended, until the time is over. */
async function flood(target: Target, seconds: number, request: string): Promise<Sent> {
  const endsAt = performance.now() + seconds * 1000
  const answers: Record<string, number> = {}
  const count = (name: string) => {
    answers[name] = (answers[name] ?? 0) + 1
  }
  const bytes = Buffer.from(request.repeat(pipelined), 'latin1')
  let sent = 0
  const again = async () => {
    while (performance.now() < endsAt) {
      sent += pipelined
      await once(target, bytes, endsAt - performance.now(), count)
    }
  }
  await Promise.all(Array.from({ length: connections }, again))
  return { sent, answers }
}

/** Sends the bytes on a connection of its own, and counts the statuses until all are answered. */
function once(
  { host, port }: Target,
  bytes: Buffer,
  leftMs: number,
  count: (name: string) => void,
): Promise<void> {
  return new Promise((resolve) => {
    let left = pipelined
    let rest = ''
    const socket = connect({ host, port, noDelay: true })
    const timer = setTimeout(() => socket.destroy(), leftMs)
    socket.on('error', () => {})
    socket.setEncoding('latin1').on('data', (part: string) => {
      const text = rest + part
      for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 ([0-9]{3}) /g)) {
        count(status)
        left -= 1
      }
      rest = text.slice(-12) // shorter than the pattern
      if (left <= 0) socket.destroy()
    })
    socket.on('connect', () => socket.write(bytes))
    socket.on('close', () => {
      clearTimeout(timer)
      if (left > 0) count('ended before all answers')
      resolve()
    })
  })
}

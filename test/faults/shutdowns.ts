import { createConnection } from 'node:net'
import type { Reply } from './http.ts'
import { callerOf } from './http.ts'
import { bearer, startNode } from './node.ts'
import { preloaded, tellsOfReading, untilToldOfReading } from './preload.ts'
import { waitMs, waitUntil } from './waiting.ts'

export interface ShutdownFigures {
  /** Requests that were under way when the signal came, and how many of them got no whole answer. */
  readonly underWay: number
  readonly dropped: number
  /** The same of the slow ones, which the service had surely read. */
  readonly logins: number
  readonly loginsDropped: number
  /** Answers to requests sent after the stop was told that did not say `Connection: close`. */
  readonly withoutClose: number
  /** What new callers who asked for readiness got: 503, or 0 if no service answered. */
  readonly readiness: readonly number[]
  readonly exitCode: number | null
  readonly milliseconds: number
}

export interface ShutdownOptions {
  readonly connections: number
  readonly logins: number
  readonly env?: Record<string, string>
}

/** R2: SIGTERM with every connection busy and slow logins under way. */
export async function shutDownUnderLoad({
  connections,
  logins,
  env = {},
}: ShutdownOptions): Promise<ShutdownFigures> {
  const flags = preloaded(tellsOfReading('/login', logins + 1)) // one for the token
  const node = await startNode({ env, flags })
  const fresh = callerOf(node.service.url, { keepAlive: false })
  try {
    const headers = bearer(await node.token())
    const replies: Reply[] = []
    let stopped = false
    const load = Array.from({ length: connections }, async () => {
      while (!stopped) {
        const reply = await node.caller.call('GET', '/api/me', { headers })
        replies.push(reply)
        if (reply.status === 0) return // its connection is gone, and the service takes no other
      }
    })
    await waitUntil('some load', () => replies.length > connections)
    const slow = Array.from({ length: logins }, () => node.login('token'))
    await untilToldOfReading(node.service)

    const signalledAt = performance.now()
    const exited = node.stop()
    let toldAt = Number.POSITIVE_INFINITY
    node.service.process.stdout?.on('data', () => {
      if (node.service.output().includes('stopping')) toldAt = Math.min(toldAt, performance.now())
    })
    const readiness: number[] = []
    const watch = (async () => {
      for (let hasEnded = false; !hasEnded && readiness.length < 200; await waitMs(10)) {
        hasEnded = node.service.process.exitCode !== null // and one probe more: no service is there
        const { status, startedAt } = await fresh.call('GET', '/health/ready')
        if (startedAt > toldAt) readiness.push(status)
      }
    })()
    const exitCode = await exited
    const milliseconds = performance.now() - signalledAt
    stopped = true
    await Promise.all([...load, watch])
    const slowReplies = await Promise.all(slow)
    const underWay = [...replies, ...slowReplies].filter(
      ({ startedAt, milliseconds }) =>
        startedAt < signalledAt && startedAt + milliseconds > signalledAt,
    )
    const after = replies.filter(({ status, startedAt }) => status !== 0 && startedAt > toldAt)
    return {
      underWay: underWay.length,
      dropped: underWay.filter(({ status }) => status === 0).length,
      logins,
      loginsDropped: slowReplies.filter(({ status }) => status !== 200 && status !== 503).length,
      withoutClose: after.filter(({ headers }) => headers.connection !== 'close').length,
      readiness,
      exitCode,
      milliseconds,
    }
  } finally {
    fresh.close()
    await node.remove()
  }
}

export interface ForcedFigures {
  readonly exitCode: number | null
  /** From the moment the service told of the first signal. */
  readonly milliseconds: number
}

/**
 * The same while a caller never finishes its request: a second signal, later than one that npm passes
 * on, ends the process at once, and so do ten seconds without any.
 */
export async function forceShutDown({
  secondAfterMs,
}: {
  secondAfterMs?: number
}): Promise<ForcedFigures> {
  const node = await startNode({ flags: preloaded(tellsOfReading('/login', 1)) })
  const { hostname, port } = new URL(node.service.url)
  const socket = createConnection(Number(port), hostname)
  try {
    socket.on('error', () => {})
    const head =
      'POST /login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n'
    socket.write(`${head}\r\n{`)
    await untilToldOfReading(node.service)
    const exited = node.stop()
    await waitUntil('the stop', () => node.service.output().includes('stopping'))
    const toldAt = performance.now()
    if (secondAfterMs !== undefined) {
      await waitMs(secondAfterMs)
      node.service.process.kill('SIGTERM')
    }
    return { exitCode: await exited, milliseconds: performance.now() - toldAt }
  } finally {
    socket.destroy()
    await node.remove()
  }
}

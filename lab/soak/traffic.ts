import { type Caller, callerOf, type Reply, type Sent } from '../../test/faults/http.ts'
import type { ServiceNode } from '../../test/faults/node.ts'
import { waitMs, waitUntil } from '../../test/faults/waiting.ts'
import type { Side } from './side.ts'

/** Groups of requests that cost about the same; each has its own latencies. */
export type Kind =
  | 'account'
  | 'administration'
  | 'application'
  | 'forward'
  | 'health'
  | 'login'
  | 'mail'
  | 'read'
  | 'refresh'
  | 'write'

export interface Wanted extends Sent {
  readonly kind: Kind
  readonly method: string
  readonly path: string
  readonly status: number | readonly number[]
  /** The address that the proxy in front of the service names. */
  readonly from?: string
}

export interface Failure {
  readonly what: string
  /** 0 without an answer. */
  readonly status: number
  readonly detail: string
  /** For `gatehouse explain`; empty without an answer. */
  readonly requestId: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** Whether the only node was being restarted. */
  readonly isPlanned: boolean
}

/** Requests of all people at one rate, to the nodes in turn. */
export interface Traffic {
  readonly failures: readonly Failure[]
  /** Answered as expected. */
  requests(): number
  /** Waits for its turn. @throws Error if the answer has another status */
  ask(wanted: Wanted): Promise<Reply>
  /** Milliseconds of the answers since the last call. */
  takeLatencies(): Map<Kind, number[]>
  /**
   * Stops a node and starts it again; returns milliseconds. A second node gets all requests during this time,
   * as behind a proxy; without one, requests fail as planned. @throws Error unless it exits with 0
   */
  restart(node: ServiceNode): Promise<number>
  close(): void
}

/** One of so many requests opens a connection of its own. */
const freshEvery = 5

export function createTraffic({ nodes }: Side, perSecond: number): Traffic {
  const failures: Failure[] = []
  const running = new Map<ServiceNode, number>()
  const fresh = new Map<ServiceNode, Caller>()
  let latencies = new Map<Kind, number[]>()
  let inRotation = nodes
  let outage: Promise<void> | null = null
  let [turn, answered, nextAt] = [0, 0, performance.now()]

  async function slot(): Promise<void> {
    nextAt = Math.max(performance.now(), nextAt + 1000 / perSecond)
    await waitMs(Math.max(0, nextAt - performance.now()))
  }

  function callerOfNext(): [ServiceNode, Caller] {
    turn += 1
    const node = inRotation[turn % inRotation.length]
    if (!node) throw new Error('no node')
    if (turn % freshEvery !== 0) return [node, node.caller]
    const caller = fresh.get(node) ?? callerOf(node.service.url, { keepAlive: false })
    fresh.set(node, caller)
    return [node, caller]
  }

  async function restartOf(node: ServiceNode): Promise<void> {
    inRotation = nodes.filter((each) => each !== node || nodes.length === 1)
    if (nodes.length > 1) {
      const isIdle = () => (running.get(node) ?? 0) === 0
      await waitUntil('the last answer of a node', isIdle, { everyMs: 20 })
    }
    const code = await node.stop()
    if (code !== 0) throw new Error(`the service ended with ${code}`)
    await node.start()
    fresh.get(node)?.close()
    fresh.delete(node)
    inRotation = nodes
  }

  return {
    failures,
    requests: () => answered,

    async ask({ kind, method, path, status, from, headers, ...content }) {
      await slot()
      const [node, caller] = callerOfNext()
      const before = outage
      running.set(node, (running.get(node) ?? 0) + 1)
      const all = { ...(from && { 'x-forwarded-for': from }), ...headers }
      const reply = await caller.call(method, path, { ...content, headers: all })
      running.set(node, (running.get(node) ?? 1) - 1)
      if ([status].flat().includes(reply.status)) {
        answered += 1
        const list = latencies.get(kind) ?? []
        latencies.set(kind, list)
        list.push(reply.milliseconds)
        return reply
      }
      const planned = before ?? outage
      const what = `${method} ${path.split('?', 1)[0]?.replace(/\/[^/]*\d+[^/]*/g, '/N')}`
      const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
      const detail = (reply.fault || body).slice(0, 300)
      const at = new Date().toISOString()
      const requestId = String(reply.headers['x-request-id'] ?? '')
      const isPlanned = planned !== null
      failures.push({ what, status: reply.status, detail, requestId, at, isPlanned })
      await planned // a person comes back when the service is there again
      throw new Error(`${what}: ${reply.status} ${detail}`)
    },

    takeLatencies() {
      const taken = latencies
      latencies = new Map()
      return taken
    },

    async restart(node) {
      const startedAt = performance.now()
      const restarting = restartOf(node)
      if (nodes.length === 1) outage = restarting.catch(() => {})
      await restarting.finally(() => {
        outage = null
      })
      return performance.now() - startedAt
    },

    close() {
      for (const caller of fresh.values()) caller.close()
    },
  }
}

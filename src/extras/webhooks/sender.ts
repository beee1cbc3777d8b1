import { setImmediate } from 'node:timers/promises'
import { randomText } from '../../core/crypto/random.ts'
import type { Needs } from '../../core/module/services.ts'
import { createFanOut } from './fan-out.ts'
import { createSendLeased, type LeaseDeps } from './lease.ts'
import type { WebhookOutbox } from './outbox.ts'
import { type Lease, webhookQueue } from './queue.ts'
import type { WebhookSubscriptions } from './subscriptions.ts'

/** Sends what the outbox of webhooks holds. Any number of nodes share the work. docs/adr/0064, 0083 */
export interface WebhookSender {
  /** Fans events out to endpoints, and leases the endpoints that are due, without waiting for the leases. */
  run(): Promise<void>
  /** Whether it is too early to look again: a process looks once a second, or after it has added an event. */
  isIdle(): boolean
  /** Resolves when nothing is under way: for tests and the end of the process. */
  settled(): Promise<void>
  /** Makes endpoints due that a restored backup, or a clock that was ahead, has left behind. */
  findForgotten(batchSize: number): Promise<number>
  /** Deletes deliveries that ended 30 days ago, up to `batchSize`; answers how many. */
  purge(batchSize: number): Promise<number>
  /** Ends the requests under way, whose deliveries another process repeats. */
  close(): Promise<void>
}

export interface WebhookSenderDeps extends LeaseDeps, Pick<Needs, 'clock'> {
  readonly subscriptions: WebhookSubscriptions
  readonly outbox: Pick<WebhookOutbox, 'onAdded'>
}

/** How many endpoints this process sends to at the same time, besides slow endpoints. */
const maxQuick = 16
/** The same with slow endpoints. */
const maxUnderWay = 512
/** An endpoint that takes longer gives its place to the next, so that no other waits for its answer. */
const slowMs = 200

const lookEveryMs = 1000
/** Without an endpoint: another process may have added an endpoint since. */
const lookForEndpointsMs = 5000
const keptMs = 30 * 86_400_000

export function createWebhookSender(deps: WebhookSenderDeps): WebhookSender {
  const { asyncCommitDb: db, clock, log, outbox, random, subscriptions } = deps
  const fanOut = createFanOut(deps)
  const sendLeased = createSendLeased(deps)
  const stop = new AbortController()
  const underWay = new Set<Promise<void>>()
  let quick = 0
  let all = 0
  let isAwake = true
  let lookedAt = Number.NEGATIVE_INFINITY
  let repairedUpTo = ''
  outbox.onAdded(() => {
    isAwake = true
  })

  return {
    isIdle() {
      const pauseMs = subscriptions.isEmpty() ? lookForEndpointsMs : lookEveryMs
      return !isAwake && clock.now() < lookedAt + pauseMs && clock.now() >= lookedAt
    },

    async run() {
      isAwake = false
      lookedAt = clock.now()
      await fill()
      while (!stop.signal.aborted && (await fanOut())) {
        await fill()
        await setImmediate() // requests that have arrived come first
      }
      await fill()
    },

    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },

    async findForgotten(batchSize) {
      const last = await webhookQueue(db).repair(repairedUpTo, clock.now(), batchSize)
      repairedUpTo = last ?? ''
      return last === null ? 0 : batchSize
    },

    purge: (batchSize) => webhookQueue(db).purge(clock.now() - keptMs, batchSize),

    async close() {
      stop.abort()
      await this.settled()
    },
  }

  /** Leases endpoints while there are places and endpoints that are due. */
  async function fill(): Promise<void> {
    while (quick < maxQuick && all < maxUnderWay && !stop.signal.aborted) {
      // Before the claim, so that claims at the same time keep to the limit.
      quick += 1
      all += 1
      let lease: Lease | null = null
      try {
        lease = await webhookQueue(db).claim(clock.now(), { locked_by: randomText(random, 12) })
      } finally {
        if (!lease) {
          quick -= 1
          all -= 1
        }
      }
      if (!lease) return
      const done = work(lease)
        .catch(logAway)
        .finally(() => underWay.delete(done))
      underWay.add(done)
    }
  }

  function logAway(error: unknown): void {
    log.error({ err: error }, 'webhooks wait for the database')
  }

  async function work(lease: Lease): Promise<void> {
    let isSlow = false
    const ended = new AbortController()
    const passOn = async () => {
      await clock.wait(slowMs, ended.signal)
      if (ended.signal.aborted) return
      isSlow = true
      quick -= 1
      await fill()
    }
    // Caught here: nothing awaits an error of `fill` while the attempt is under way.
    const passedOn = passOn().catch(logAway)
    try {
      await sendLeased(lease, () => isSlow, stop.signal)
    } catch (error) {
      log.error({ err: error }, 'webhooks were not sent')
    } finally {
      ended.abort()
      await passedOn
      all -= 1
      if (!isSlow) quick -= 1
    }
    await setImmediate() // requests that have arrived come first
    await fill()
  }
}

import { setImmediate } from 'node:timers/promises'
import { randomText } from '../../core/crypto/random.ts'
import type { Needs } from '../../core/module/services.ts'
import { createFanOut } from './fan-out.ts'
import { createSendLeased, type LeaseDeps } from './lease.ts'
import type { WebhookOutbox } from './outbox.ts'
import { type Lease, webhookQueue } from './queue.ts'
import type { WebhookSubscriptions } from './subscriptions.ts'

/** Any number of nodes share the work. docs/adr/0064, 0083 */
export interface WebhookSender {
  /** Fans out events and leases due endpoints; does not wait for the leases. */
  run(): Promise<void>
  /** A process polls once a second, or after adding an event. */
  isIdle(): boolean
  /** For tests and shutdown. */
  settled(): Promise<void>
  /** Makes endpoints due after a restore or a clock that was ahead. */
  findForgotten(batchSize: number): Promise<number>
  /** Deletes deliveries ended 30 days ago; returns the number. */
  purge(batchSize: number): Promise<number>
  /** Aborts requests; another process retries their deliveries. */
  close(): Promise<void>
}

export interface WebhookSenderDeps extends LeaseDeps, Pick<Needs, 'clock'> {
  readonly subscriptions: WebhookSubscriptions
  readonly outbox: Pick<WebhookOutbox, 'onAdded'>
}

/** Concurrent endpoints per process, without slow endpoints. */
const maxQuick = 16
/** Including slow endpoints. */
const maxUnderWay = 512
/** Slower endpoints free their slot, so that others do not wait. */
const slowMs = 50

const lookEveryMs = 1000
/** Without endpoints: another process may add one. */
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
        await setImmediate() // lets requests run first
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

  async function fill(): Promise<void> {
    while (quick < maxQuick && all < maxUnderWay && !stop.signal.aborted) {
      // Before the claim, so that parallel claims respect the limit.
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
    // Nothing else handles an error of `fill` during the attempt.
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
    await setImmediate() // lets requests run first
    await fill()
  }
}

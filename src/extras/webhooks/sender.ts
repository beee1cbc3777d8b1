import type { Logger } from 'pino'
import { randomText } from '../../core/crypto/random.ts'
import { createFanOut } from './fan-out.ts'
import { createLeases, type LeasesDeps, leaseMs } from './lease.ts'
import type { WebhookOutbox } from './outbox.ts'
import { type Lane, lanes, queueStore } from './queue-store.ts'
import type { WebhookSubscriptions } from './subscriptions.ts'

/** Sends what the outbox of webhooks holds. Any number of nodes share it. docs/adr/0064 */
export interface WebhookSender {
  /** Fans events out to endpoints, and leases the endpoints that are due, without waiting for the leases. */
  run(): Promise<void>
  /** Whether it is too early to look again: a process looks once a second, or after it has added an event. */
  isIdle(): boolean
  /** Resolves when nothing is under way: for tests and the end of the process. */
  settled(): Promise<void>
  /**
   * Looks for endpoints with deliveries that are not due, those of a restored backup, and for those
   * that a clock has put off which was ahead and was set back.
   */
  findForgotten(batchSize: number): Promise<number>
  /** Deletes deliveries that ended 30 days ago, up to `batchSize`; answers how many. */
  purge(batchSize: number): Promise<number>
  /** Ends the requests under way, whose deliveries another process repeats. */
  close(): Promise<void>
}

export interface WebhookSenderDeps extends Omit<LeasesDeps, 'log'> {
  readonly log: Pick<Logger, 'error'>
  readonly subscriptions: WebhookSubscriptions
  readonly outbox: Pick<WebhookOutbox, 'onAdded'>
}

/**
 * How many endpoints of a lane this process leases at a time. Each lane has places of its own, so that
 * endpoints that answer never wait for endpoints that do not.
 */
const places: Readonly<Record<Lane, number>> = { new: 16, quick: 8, slow: 8, failing: 16 }

const lookEveryMs = 1000
/** Without an endpoint: one that another process has added since. */
const lookForEndpointsMs = 5000
const keptMs = 30 * 86_400_000

export function createWebhookSender(deps: WebhookSenderDeps): WebhookSender {
  const { asyncCommitDb, clock, log, outbox, random, subscriptions, throttle } = deps
  const fanOut = createFanOut(deps)
  const leases = createLeases(deps)
  const worker = randomText(random, 12)
  const stop = new AbortController()
  const underWay = new Set<Promise<void>>()
  const taken: Record<Lane, number> = { new: 0, quick: 0, slow: 0, failing: 0 }
  let isAwake = true
  let lookedAt = Number.NEGATIVE_INFINITY
  let forgottenAfter = ''
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
      while (!stop.signal.aborted && (await fanOut.batch())) {
        await fill()
        await throttle.next(stop.signal)
      }
      await fill()
    },

    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },

    async findForgotten(batchSize) {
      const queue = queueStore(asyncCommitDb)
      const now = clock.now()
      const found = await queue.findForgotten(forgottenAfter, now, batchSize)
      const { ahead, forgotten, last } = found
      forgottenAfter = last ?? ''
      await queue.putRight(ahead, now, batchSize)
      await queue.notify(forgotten, now)
      return last === null ? 0 : batchSize
    },

    purge: (batchSize) => queueStore(asyncCommitDb).purge(clock.now() - keptMs, batchSize),

    async close() {
      stop.abort()
      await this.settled()
    },
  }

  /** Leases endpoints while there are places and endpoints that are due. */
  async function fill(): Promise<void> {
    for (const lane of lanes) await fillLane(lane)
  }

  async function fillLane(lane: Lane): Promise<void> {
    while (taken[lane] < places[lane] && !stop.signal.aborted) {
      taken[lane] += 1
      let isTaken = false
      try {
        const now = clock.now()
        const lease = await queueStore(asyncCommitDb).take(lane, {
          ...{ worker, now, until: now + leaseMs },
        })
        if (!lease) return
        isTaken = true
        begin(lane, leases.run(lease, lane, worker, stop.signal))
      } finally {
        if (!isTaken) taken[lane] -= 1
      }
    }
  }

  function begin(lane: Lane, lease: Promise<void>): void {
    const done = lease
      .catch((error: unknown) => log.error({ err: error }, 'webhooks were not sent'))
      .finally(() => {
        taken[lane] -= 1
        underWay.delete(done)
      })
      // A place is free, and its endpoint may be due in another lane.
      .then(() => fillLane(lane))
      .then(() => fillLane('quick'))
      .catch((error: unknown) => log.error({ err: error }, 'webhooks wait for the database'))
    underWay.add(done)
  }
}

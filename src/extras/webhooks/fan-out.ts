import { lockName, transact } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import { outboxStore, type Pair } from './outbox-store.ts'
import { webhookQueue } from './queue.ts'
import type { WebhookSubscriptions } from './subscriptions.ts'

/** How many deliveries a transaction adds: a login never waits for more than these. */
export const fanOutBatch = 50

/**
 * Returns the function that makes the deliveries of a batch of events, one for each endpoint that wants
 * the event, and returns whether more may wait.
 */
export function createFanOut({
  asyncCommitDb,
  clock,
  subscriptions,
}: Pick<Needs, 'asyncCommitDb' | 'clock'> & {
  readonly subscriptions: Pick<WebhookSubscriptions, 'endpointsFor' | 'refresh'>
}): () => Promise<boolean> {
  return () =>
    // One process at a time, so that the deliveries of an account have the order of its events.
    transact(asyncCommitDb, [lockName.webhookOutbox], async (trx) => {
      const outbox = outboxStore(trx)
      const events = await outbox.oldest(fanOutBatch)
      if (events.length === 0) return false
      // Behind that read: an endpoint that was there before an event is known now.
      await subscriptions.refresh(trx)
      const pairs: Pair[] = []
      const done: number[] = []
      for (const { id, type, spread_to } of events) {
        const all = subscriptions.endpointsFor(type)
        const left = spread_to === null ? all : all.filter((one) => one > spread_to)
        const some = left.slice(0, fanOutBatch - pairs.length)
        pairs.push(...some.map((endpoint) => ({ event: id, endpoint })))
        if (some.length === left.length) done.push(id)
        else break
      }
      const now = clock.now()
      await outbox.addDeliveries(pairs, now)
      await webhookQueue(trx).notify([...new Set(pairs.map(({ endpoint }) => endpoint))], now)
      const last = pairs.at(-1)
      if (last && !done.includes(last.event)) {
        await outbox.noteFanOut(last.event, last.endpoint)
      }
      await outbox.remove(done)
      return done.length < events.length || events.length === fanOutBatch
    })
}

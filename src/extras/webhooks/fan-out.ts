import { lockName, transact } from '../../core/database/transactions.ts'
import type { Needs } from '../../core/module/services.ts'
import { outboxStore, type Pair } from './outbox-store.ts'
import { webhookQueue } from './queue.ts'
import type { WebhookSubscriptions } from './subscriptions.ts'

/** Deliveries per transaction, which bounds how long a login waits. */
export const fanOutBatch = 50

/** One delivery per subscribed endpoint; returns whether more events may wait. */
export function createFanOut({
  asyncCommitDb,
  clock,
  subscriptions,
}: Pick<Needs, 'asyncCommitDb' | 'clock'> & {
  readonly subscriptions: Pick<WebhookSubscriptions, 'endpointsFor' | 'refresh'>
}): () => Promise<boolean> {
  return () =>
    // One process at a time, to keep the event order of an account.
    transact(asyncCommitDb, [lockName.webhookOutbox], async (trx) => {
      const outbox = outboxStore(trx)
      const events = await outbox.oldest(fanOutBatch)
      if (events.length === 0) return false
      // After reading the events, so that endpoints created before an event are known.
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

import { type Insertable, type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { preparedForLists } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'

export type OutboxRow = Omit<Required<Insertable<Schema['webhook_events']>>, 'id' | 'spread_to'>
export type WaitingEvent = Pick<Selectable<Schema['webhook_events']>, 'id' | 'type' | 'spread_to'>

// One prepared statement per row count.
const rowsPerStatement = [16, 4, 3, 2, 1]

// Pipelined with the commit on PostgreSQL: no extra round trip.
const insertEvents = preparedForLists<{ rows: OutboxRow[] }, object, never>(
  (db, { rows }) =>
    db.insertInto('webhook_events').values(
      rows.map((row) => ({
        message: row.message,
        type: row.type,
        order_key: row.order_key,
        target_id: row.target_id,
        chain: row.chain,
        place: row.place,
        checkpoint: row.checkpoint,
        at: row.at,
      })),
    ),
  { isDeferred: true, isDurable: true },
)

export interface Pair {
  readonly event: number
  readonly endpoint: string
}

export function outboxStore(db: DatabaseOrTransaction) {
  return {
    async insert(events: readonly OutboxRow[]): Promise<void> {
      for (let from = 0; from < events.length; ) {
        const left = events.length - from
        const count = rowsPerStatement.find((rows) => rows <= left) ?? 1
        await insertEvents.all(db, { rows: events.slice(from, from + count) }, {})
        from += count
      }
    },

    /** Enabled endpoints, by id. */
    chosen(): Promise<{ id: string; events: string }[]> {
      return db
        .selectFrom('webhook_endpoints')
        .select(['id', 'events'])
        .where('state', '=', 'enabled')
        .orderBy('created_at')
        .orderBy('id')
        .execute()
    },

    oldest(limit: number): Promise<WaitingEvent[]> {
      return db
        .selectFrom('webhook_events')
        .select(['id', 'type', 'spread_to'])
        .orderBy('id')
        .limit(limit)
        .execute()
    },

    /** In event order; skips endpoints disabled since. */
    async addDeliveries(pairs: readonly Pair[], now: number): Promise<void> {
      if (pairs.length === 0) return
      const values = pairs.map(({ event, endpoint }) => sql`(${sql.lit(event)}, ${endpoint})`)
      await sql`insert into webhook_deliveries (endpoint, message, type, order_key, target_id,
          chain, place, checkpoint, at, state, due_at, created_at)
        select endpoints.id, events.message, events.type, events.order_key, events.target_id, events.chain,
          events.place, events.checkpoint, events.at, 'waiting', ${sql.lit(now)}, ${sql.lit(now)}
        from (values ${sql.join(values)}) as pairs
        join webhook_events as events on events.id = pairs.column1
        join webhook_endpoints as endpoints on endpoints.id = pairs.column2
        where endpoints.state = 'enabled'
        order by events.id, endpoints.id`.execute(db)
    },

    async noteFanOut(id: number, endpoint: string): Promise<void> {
      await db
        .updateTable('webhook_events')
        .set({ spread_to: endpoint })
        .where('id', '=', id)
        .execute()
    },

    async remove(ids: readonly number[]): Promise<void> {
      if (ids.length === 0) return
      await db.deleteFrom('webhook_events').where('id', 'in', ids).execute()
    },
  }
}

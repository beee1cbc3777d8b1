import { type Insertable, type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { preparedForLists } from '../../core/database/prepared.ts'
import type { Schema } from '../../core/database/schema.ts'

export type OutboxRow = Omit<Required<Insertable<Schema['webhook_events']>>, 'id' | 'spread_to'>
export type WaitingEvent = Pick<Selectable<Schema['webhook_events']>, 'id' | 'type' | 'spread_to'>

// A statement is kept for each of these numbers of rows.
const rowsPerStatement = [16, 4, 3, 2, 1]

// Sent with the commit on PostgreSQL: a login waits for no answer to it.
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

/** A delivery to add: the id of the event in the outbox, and that of the endpoint. */
export interface Pair {
  readonly event: number
  readonly endpoint: string
}

/** The statements of the outbox. */
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

    /** What the enabled endpoints want, in the order of their ids. */
    chosen(): Promise<{ id: string; events: string }[]> {
      return db
        .selectFrom('webhook_endpoints')
        .select(['id', 'events'])
        .where('state', '=', 'enabled')
        .orderBy('id')
        .execute()
    },

    /** A text that changes with the choice of the enabled endpoints. */
    async choiceState(): Promise<string> {
      // As text: the sum for some thousand endpoints is no exact number of JavaScript.
      const { rows } = await sql<{ state: string }>`
        select count(*) || ' ' || coalesce(cast(sum(updated_at) as text), '') as state
        from webhook_endpoints where state = 'enabled'`.execute(db)
      return rows[0]?.state ?? ''
    },

    /** The oldest events that are not spread. */
    oldest(limit: number): Promise<WaitingEvent[]> {
      return db
        .selectFrom('webhook_events')
        .select(['id', 'type', 'spread_to'])
        .orderBy('id')
        .limit(limit)
        .execute()
    },

    /** Adds deliveries in the order of events, for those endpoints that are still enabled. */
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

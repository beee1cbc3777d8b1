import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forUpdate } from '../../core/database/transactions.ts'
import { type EventType, namesOfEvent } from '../../core/events/types.ts'

export type DeliveryRow = Selectable<Schema['webhook_deliveries']>
export type DeliveryState = DeliveryRow['state']

export interface DeliveryFilters {
  readonly endpoint?: string | undefined
  readonly state?: DeliveryState | undefined
  readonly type?: string | undefined
  /** The `webhook-id`. */
  readonly message?: string | undefined
  /** Time of the event, inclusive, epoch milliseconds. */
  readonly since?: number | undefined
  /** Exclusive. */
  readonly until?: number | undefined
}

export interface DeliveryPage {
  readonly rows: readonly DeliveryRow[]
  /** The id before which the next page begins; null at the end. An empty page can have one. */
  readonly next: number | null
}

/** Rows per page: filters can match few of very many rows. */
const maxScanned = 20_000

export function deliveryStore(db: DatabaseOrTransaction, knownEvents: readonly EventType[]) {
  /** An index orders both cases by id. */
  const all = (endpoint: string | undefined) =>
    endpoint === undefined
      ? db.selectFrom('webhook_deliveries')
      : db.selectFrom('webhook_deliveries').where('endpoint', '=', endpoint)

  const matching = ({ endpoint, state, type, message, since, until }: DeliveryFilters) => {
    let query = all(endpoint).selectAll()
    if (state !== undefined) query = query.where('state', '=', state)
    if (type !== undefined) query = query.where('type', 'in', namesOfEvent(knownEvents, type))
    if (message !== undefined) query = query.where('message', '=', message)
    if (since !== undefined) query = query.where('at', '>=', since)
    if (until !== undefined) query = query.where('at', '<', until)
    return query
  }

  return {
    async byId(id: number): Promise<DeliveryRow | null> {
      const query = db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id)
      return (await query.executeTakeFirst()) ?? null
    },

    /** Locks the row on PostgreSQL. */
    async byIdForUpdate(id: number): Promise<DeliveryRow | null> {
      const query = db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id)
      return (await forUpdate(db, query).executeTakeFirst()) ?? null
    },

    /** Newest first. */
    async page(
      filters: DeliveryFilters,
      { limit, before = null }: { readonly limit: number; readonly before?: number | null },
    ): Promise<DeliveryPage> {
      const older = all(filters.endpoint).$if(before !== null, (query) =>
        query.where('id', '<', before ?? 0),
      )
      const last = await older
        .select('id')
        .orderBy('id', 'desc')
        .offset(maxScanned - 1)
        .limit(1)
        .executeTakeFirst()
      const rows = await matching(filters)
        .$if(before !== null, (query) => query.where('id', '<', before ?? 0))
        .where('id', '>=', last?.id ?? 0)
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      const shown = rows.slice(0, limit)
      return {
        rows: shown,
        next: rows.length > limit ? (shown.at(-1)?.id ?? null) : (last?.id ?? null),
      }
    },

    /** Oldest first. */
    async following(
      filters: DeliveryFilters,
      { limit, after }: { readonly limit: number; readonly after: number },
    ): Promise<{ readonly ids: readonly number[]; readonly next: number | null }> {
      const last = await all(filters.endpoint)
        .select('id')
        .where('id', '>', after)
        .orderBy('id')
        .offset(maxScanned - 1)
        .limit(1)
        .executeTakeFirst()
      const rows = await matching(filters)
        .clearSelect()
        .select('id')
        .where('id', '>', after)
        .$if(last !== undefined, (query) => query.where('id', '<=', last?.id ?? 0))
        .orderBy('id')
        .limit(limit)
        .execute()
      const ids = rows.map(({ id }) => id)
      return { ids, next: ids.length === limit ? (ids.at(-1) ?? null) : (last?.id ?? null) }
    },

    /** Makes waiting or ended deliveries due; returns the number. */
    async repeat(ids: readonly number[], now: number): Promise<number> {
      if (ids.length === 0) return 0
      const { numUpdatedRows } = await db
        .updateTable('webhook_deliveries')
        .set({
          state: 'waiting',
          attempts: 0,
          due_at: now,
          finished_at: null,
        })
        .where('id', 'in', ids)
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },

    /** For a test; returns the id. */
    async insert(row: {
      readonly endpoint: string
      readonly message: string
      readonly type: string
      readonly at: number
    }): Promise<number> {
      const { id } = await db
        .insertInto('webhook_deliveries')
        .values({ ...row, state: 'waiting', due_at: row.at, created_at: row.at })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },
  }
}

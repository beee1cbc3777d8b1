import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forUpdate } from '../../core/database/transactions.ts'
import { type EventType, namesOfEvent } from '../../core/events/types.ts'

export type DeliveryRow = Selectable<Schema['webhook_deliveries']>
export type DeliveryState = DeliveryRow['state']

/** Which deliveries are shown or repeated; each is optional. */
export interface DeliveryFilters {
  /** The id of the endpoint. */
  readonly endpoint?: string | undefined
  readonly state?: DeliveryState | undefined
  /** The type of the event. */
  readonly type?: string | undefined
  /** The `webhook-id`. */
  readonly message?: string | undefined
  /** The event was at this time or later, in epoch milliseconds. */
  readonly since?: number | undefined
  /** The event was before this time. */
  readonly until?: number | undefined
}

export interface DeliveryPage {
  readonly rows: readonly DeliveryRow[]
  /** The id before which the next page begins; null at the end. A page may be empty and have one. */
  readonly next: number | null
}

/** How many rows a page looks through at most: filters may match very few of very many. */
const maxScanned = 20_000

/** The statements that show deliveries and have them repeated. */
export function deliveryStore(db: DatabaseOrTransaction, knownEvents: readonly EventType[]) {
  /** Of one endpoint or all, which an index orders by id. */
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

    /** The same; on PostgreSQL the row does not change until the transaction ends. */
    async byIdForUpdate(id: number): Promise<DeliveryRow | null> {
      const query = db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id)
      return (await forUpdate(db, query).executeTakeFirst()) ?? null
    },

    /** The newest first. */
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

    /** The next ids after one, in their order; `next` as of a page. */
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

    /** Has deliveries sent at once that wait or have ended; answers how many. */
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

    /** Adds the message of a test; answers its id. */
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

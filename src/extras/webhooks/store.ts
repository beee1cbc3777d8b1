import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { forNoKeyUpdate, isPostgres } from '../../core/database/transactions.ts'

export type EndpointRow = Selectable<Schema['webhook_endpoints']>

/** Health is null before the first attempt. */
export type EndpointWithHealth = EndpointRow &
  Pick<Selectable<Schema['webhook_health']>, 'failing_since' | 'succeeded_at' | 'status'>

/** Ignores removed endpoints, except `purgeRemoved`. */
export function endpointStore(db: DatabaseOrTransaction) {
  const present = () => db.selectFrom('webhook_endpoints').where('state', '<>', 'removed')
  const withHealth = () =>
    present()
      .leftJoin('webhook_health', 'webhook_health.endpoint', 'webhook_endpoints.id')
      .selectAll('webhook_endpoints')
      .select([
        'webhook_health.failing_since',
        'webhook_health.succeeded_at',
        'webhook_health.status',
      ])

  return {
    async insert(row: EndpointRow): Promise<void> {
      await db.insertInto('webhook_endpoints').values(row).execute()
    },

    async byId(id: string): Promise<EndpointWithHealth | null> {
      const row = await withHealth().where('webhook_endpoints.id', '=', id).executeTakeFirst()
      return row ?? null
    },

    /** Locks the row on PostgreSQL. */
    async byIdForUpdate(id: string): Promise<EndpointWithHealth | null> {
      const row = present().select('id').where('id', '=', id)
      const held = await forNoKeyUpdate(db, 'webhook_endpoints', row).executeTakeFirst()
      return held ? this.byId(id) : null
    },

    enabled(): Promise<EndpointRow[]> {
      return present().selectAll().where('state', '=', 'enabled').orderBy('id').execute()
    },

    async count(): Promise<number> {
      const { total } = await present()
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return Number(total)
    },

    /** Oldest first. */
    page(offset: number, limit: number): Promise<EndpointWithHealth[]> {
      return withHealth()
        .orderBy('webhook_endpoints.created_at')
        .orderBy('webhook_endpoints.id')
        .limit(limit)
        .offset(offset)
        .execute()
    },

    async update({ id, created_at: _, ...changes }: EndpointRow): Promise<void> {
      await db.updateTable('webhook_endpoints').set(changes).where('id', '=', id).execute()
    },

    /** Used when an endpoint is enabled again. */
    async forgetHealth(id: string): Promise<void> {
      await db.deleteFrom('webhook_health').where('endpoint', '=', id).execute()
    },

    /**
     * Deletes deliveries of removed endpoints first, then the endpoints; returns the number of
     * rows.
     */
    async purgeRemoved(batchSize: number): Promise<number> {
      const removed = db
        .selectFrom('webhook_endpoints')
        .select('id')
        .where('state', '=', 'removed')
        .orderBy('id')
        .limit(batchSize)
      const ids = (
        await (isPostgres(db) ? removed.forUpdate().skipLocked() : removed).execute()
      ).map(({ id }) => id)
      if (ids.length === 0) return 0
      const batch = await db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('endpoint', 'in', ids)
        .limit(batchSize)
        .execute()
      if (batch.length > 0) {
        const numbers = batch.map(({ id }) => id)
        await db.deleteFrom('webhook_deliveries').where('id', 'in', numbers).execute()
      }
      if (batch.length === batchSize) return batchSize
      await db.deleteFrom('webhook_endpoints').where('id', 'in', ids).execute()
      return batch.length + ids.length
    },
  }
}

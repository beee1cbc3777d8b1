import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'

export type StoredDevice = Selectable<Schema['remembered_devices']>

export function deviceStore(db: DatabaseOrTransaction) {
  return {
    async has(device: string, after: number): Promise<boolean> {
      const row = await db
        .selectFrom('remembered_devices')
        .select('device')
        .where('device', '=', device)
        .where('created_at', '>', after)
        .executeTakeFirst()
      return row !== undefined
    },

    /** False without such a device. */
    async use(device: string, after: number, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('remembered_devices')
        .set({ last_used_at: now })
        .where('device', '=', device)
        .where('created_at', '>', after)
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },

    async put(row: StoredDevice): Promise<void> {
      const { device: _, user_id: __, ...values } = row
      await db
        .insertInto('remembered_devices')
        .values(row)
        .onConflict((conflict) => conflict.column('device').doUpdateSet(values))
        .execute()
    },

    /** Newest first. */
    of(userId: number, after: number): Promise<StoredDevice[]> {
      return db
        .selectFrom('remembered_devices')
        .selectAll()
        .where('user_id', '=', userId)
        .where('created_at', '>', after)
        .orderBy('created_at', 'desc')
        .orderBy('device')
        .execute()
    },

    /** One, or all of the account; returns the count. */
    async remove(userId: number, device?: string): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('remembered_devices')
        .where('user_id', '=', userId)
        .$if(device !== undefined, (query) => query.where('device', '=', device ?? ''))
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },

    async keepNewest(userId: number, max: number): Promise<void> {
      const newest = db
        .selectFrom('remembered_devices')
        .select('device')
        .where('user_id', '=', userId)
        .orderBy('created_at', 'desc')
        .orderBy('device')
        .limit(max)
      await db
        .deleteFrom('remembered_devices')
        .where('user_id', '=', userId)
        .where('device', 'not in', newest)
        .execute()
    },
  }
}

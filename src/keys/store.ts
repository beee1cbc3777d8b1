import type { Selectable } from 'kysely'
import type { DatabaseOrTransaction } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

/** A stored key, its material sealed under the master key. */
export interface SealedKey {
  readonly id: string
  readonly purpose: 'signing' | 'data'
  readonly algorithm: string
  readonly sealed: string
  /** Epoch milliseconds; `retiredAt` is null for a key in use. */
  readonly createdAt: number
  readonly retiredAt: number | null
}

export function keyStore(db: DatabaseOrTransaction) {
  const keys = () => db.selectFrom('keys').selectAll().orderBy('created_at', 'desc').orderBy('id')
  return {
    /** All keys, the newest first. */
    async all(): Promise<SealedKey[]> {
      return (await keys().execute()).map(toKey)
    },

    /** The newest key in use. */
    async newest(purpose: SealedKey['purpose'], algorithm: string): Promise<SealedKey | null> {
      const row = await keys()
        .where('purpose', '=', purpose)
        .where('algorithm', '=', algorithm)
        .where('retired_at', 'is', null)
        .limit(1)
        .executeTakeFirst()
      return row ? toKey(row) : null
    },

    async insert(key: SealedKey): Promise<void> {
      await db
        .insertInto('keys')
        .values({
          id: key.id,
          purpose: key.purpose,
          algorithm: key.algorithm,
          sealed: key.sealed,
          created_at: key.createdAt,
          retired_at: key.retiredAt,
        })
        .execute()
    },

    /** Retires the keys in use: they verify until the given time and do not sign any more. */
    async retireInUse(
      purpose: SealedKey['purpose'],
      algorithm: string,
      until: number,
    ): Promise<void> {
      await db
        .updateTable('keys')
        .set({ retired_at: until })
        .where('purpose', '=', purpose)
        .where('algorithm', '=', algorithm)
        .where('retired_at', 'is', null)
        .execute()
    },

    /** Retires a signing key at once; answers false if no such key verifies. */
    async end(id: string, now: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('keys')
        .set({ retired_at: now })
        .where('id', '=', id)
        .where('purpose', '=', 'signing')
        .where((eb) => eb.or([eb('retired_at', 'is', null), eb('retired_at', '>', now)]))
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
  }
}

function toKey(row: Selectable<Schema['keys']>): SealedKey {
  return {
    id: row.id,
    purpose: row.purpose,
    algorithm: row.algorithm,
    sealed: row.sealed,
    createdAt: row.created_at,
    retiredAt: row.retired_at,
  }
}

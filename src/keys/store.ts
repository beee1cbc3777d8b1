import type { DatabaseOrTransaction } from '../database/connect.ts'

/** A key as it lies in the database: its material sealed under the master key. */
export interface SealedKey {
  readonly id: string
  readonly purpose: 'signing' | 'data'
  readonly algorithm: string
  readonly sealed: string
  /** Epoch milliseconds; the second is null for a key in use. */
  readonly createdAt: number
  readonly retiredAt: number | null
}

export function keyStore(db: DatabaseOrTransaction) {
  return {
    /** Every key, the newest first. */
    async all(): Promise<SealedKey[]> {
      const rows = await db.selectFrom('keys').selectAll().orderBy('created_at', 'desc').execute()
      return rows.map((row) => ({
        id: row.id,
        purpose: row.purpose,
        algorithm: row.algorithm,
        sealed: row.sealed,
        createdAt: row.created_at,
        retiredAt: row.retired_at,
      }))
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
  }
}

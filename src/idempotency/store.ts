import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { deleteExpired } from '../database/purge.ts'

/** The stored answer to a request with an idempotency key. */
export interface AnsweredRequest {
  /** Keyed digest of the body: the same key with another body is refused. */
  readonly fingerprint: string
  /** The answer's body as JSON. */
  readonly answer: string
}

export function idempotencyStore(db: DatabaseOrTransaction) {
  return {
    async find(id: string, now: number): Promise<AnsweredRequest | null> {
      const row = await db
        .selectFrom('idempotency_keys')
        .select(['fingerprint', 'answer'])
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row ?? null
    },

    /**
     * Inserts the key; answers false if it was used before. Waits for another transaction that has
     * inserted it.
     */
    async claim(
      id: string,
      { now, expiresAt }: { now: number; expiresAt: number },
    ): Promise<boolean> {
      await db
        .deleteFrom('idempotency_keys')
        .where('id', '=', id)
        .where('expires_at', '<=', now)
        .execute()
      const claimed = await db
        .insertInto('idempotency_keys')
        .values({ id, fingerprint: '', answer: '', expires_at: expiresAt })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('id')
        .executeTakeFirst()
      return claimed !== undefined
    },

    async keep(id: string, answered: AnsweredRequest): Promise<void> {
      await db.updateTable('idempotency_keys').set(answered).where('id', '=', id).execute()
    },
  }
}

/** Deletes up to `batchSize` expired keys; answers how many. */
export function purgeIdempotencyKeys(
  db: Database,
  now: number,
  batchSize: number,
): Promise<number> {
  const keys = { table: 'idempotency_keys', key: 'id', column: 'expires_at' } as const
  return deleteExpired(db, { ...keys, until: now }, batchSize)
}

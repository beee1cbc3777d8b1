import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { deleteExpired } from '../../core/database/purge.ts'

export interface AnsweredRequest {
  /** Keyed digest; another body is rejected. */
  readonly fingerprint: string
  /** JSON body. */
  readonly answer: string
}

type OfId = { readonly id: string }
type Kept = OfId & AnsweredRequest & AnsweredPersons

export interface AnsweredPersons {
  readonly caller: number | null
  readonly person: number | null
}

const found = prepared((db, { id, now }: Parameters<OfId & { now: number }>) =>
  db
    .selectFrom('idempotency_keys')
    .select(['fingerprint', 'answer'])
    .where('id', '=', id)
    .where('expires_at', '>', now),
)
const expired = prepared((db, { id, now }: Parameters<OfId & { now: number }>) =>
  db.deleteFrom('idempotency_keys').where('id', '=', id).where('expires_at', '<=', now),
)
const claimed = prepared((db, { id, expiresAt }: Parameters<OfId & { expiresAt: number }>) =>
  db
    .insertInto('idempotency_keys')
    .values({ id, fingerprint: '', answer: '', expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returning('id'),
)
const kept = prepared((db, { id, fingerprint, answer, caller, person }: Parameters<Kept>) =>
  db
    .updateTable('idempotency_keys')
    .set({ fingerprint, answer, caller, person })
    .where('id', '=', id),
)

export function idempotencyStore(db: DatabaseOrTransaction) {
  return {
    async find(id: string, now: number): Promise<AnsweredRequest | null> {
      return (await found.first(db, { id, now })) ?? null
    },

    /** False if used. Waits for concurrent inserts. */
    async claim(
      id: string,
      { now, expiresAt }: { now: number; expiresAt: number },
    ): Promise<boolean> {
      await expired.all(db, { id, now })
      return (await claimed.first(db, { id, expiresAt })) !== undefined
    },

    async keep(id: string, answered: AnsweredRequest & AnsweredPersons): Promise<void> {
      await kept.all(db, { id, ...answered })
    },

    /** Empties responses to or naming the user. */
    async erase(userId: number): Promise<void> {
      for (const column of ['caller', 'person'] as const) {
        await db
          .updateTable('idempotency_keys')
          .set({ answer: '', caller: null, person: null })
          .where(column, '=', userId)
          .execute()
      }
    },
  }
}

/** Returns the number of deleted keys. */
export function purgeIdempotencyKeys(
  db: Database,
  now: number,
  batchSize: number,
): Promise<number> {
  const keys = { table: 'idempotency_keys', key: 'id', column: 'expires_at' } as const
  return deleteExpired(db, { ...keys, until: now }, batchSize)
}

import type { DatabaseOrTransaction } from '../database/connect.ts'
import { removeEnded } from '../database/reap.ts'
import { exclusively, word } from '../database/transactions.ts'

/** One entry of the log: a single token, or all access tokens of a user below a version. */
export type Revocation =
  | { readonly token: string }
  | { readonly userId: number; readonly accessVersion: number }

export interface LoggedRevocation {
  readonly id: number
  readonly revocation: Revocation
  /** When no token that it ends could be valid any more, in epoch milliseconds. */
  readonly expiresAt: number
}

export function revocationStore(db: DatabaseOrTransaction) {
  return {
    /** In a transaction: the next id is not given before this one is committed, or not. */
    async append(revocation: Revocation, expiresAt: number): Promise<void> {
      await exclusively(db, word.revocations)
      const columns =
        'token' in revocation
          ? { token: revocation.token, user_id: null, access_version: null }
          : {
              token: null,
              user_id: revocation.userId,
              access_version: revocation.accessVersion,
            }
      await db
        .insertInto('revocations')
        .values({ ...columns, expires_at: expiresAt })
        .execute()
    },

    /** The first `most` that were appended behind `id` and still count at `now`. */
    async after(id: number, now: number, most: number): Promise<LoggedRevocation[]> {
      const rows = await db
        .selectFrom('revocations')
        .selectAll()
        .where('id', '>', id)
        .where('expires_at', '>', now)
        .orderBy('id')
        .limit(most)
        .execute()
      return rows.map((row) => ({
        id: row.id,
        expiresAt: row.expires_at,
        revocation:
          row.token === null
            ? { userId: row.user_id ?? 0, accessVersion: row.access_version ?? 0 }
            : { token: row.token },
      }))
    },

    /** Removes up to `most` entries that count no more; answers how many. */
    reap(now: number, most: number): Promise<number> {
      const revocations = { table: 'revocations', key: 'id', column: 'expires_at' } as const
      return removeEnded(db, { ...revocations, until: now }, most)
    },
  }
}

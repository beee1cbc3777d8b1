import type { DatabaseOrTransaction } from '../database/connect.ts'
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

    /** The entry `id` and what was appended behind it, as far as it still counts at `now`. */
    async from(id: number, now: number): Promise<LoggedRevocation[]> {
      const rows = await db
        .selectFrom('revocations')
        .selectAll()
        .where('id', '>=', id)
        .where('expires_at', '>', now)
        .orderBy('id')
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

    /** A user's new access tokens have at least this version from here on. */
    async raiseVersion(userId: number, accessVersion: number): Promise<void> {
      await db
        .updateTable('token_versions')
        .set({ access_version: accessVersion })
        .where('user_id', '=', userId)
        .where('access_version', '<', accessVersion)
        .execute()
    },

    /** Removes up to `most` entries that count no more; answers how many. */
    async reap(now: number, most: number): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('revocations')
        .where('id', 'in', (eb) =>
          eb.selectFrom('revocations').select('id').where('expires_at', '<=', now).limit(most),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}

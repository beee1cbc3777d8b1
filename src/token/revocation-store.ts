import type { ExpressionBuilder } from 'kysely'
import type { DatabaseOrTransaction } from '../database/connect.ts'
import type { Schema } from '../database/schema.ts'
import { exclusively, word } from '../database/transactions.ts'

/** One entry of the log: a single token, or all access tokens of a user below a version. */
export type Revocation =
  | { readonly token: string }
  | { readonly userId: number; readonly accessVersion: number }

export interface LoggedRevocation {
  readonly id: number
  readonly revocation: Revocation
  /**
   * In epoch milliseconds: from when on no token could be valid that it ends; of a user, from when on the
   * version that stands beside the user is all that is needed.
   */
  readonly expiresAt: number
}

export interface StandingVersion {
  readonly userId: number
  readonly accessVersion: number
}

const firstVersion = 1
const never = Number.MAX_SAFE_INTEGER

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

    /** Of every user who is there, the version below which tokens have ended; where none has, nothing. */
    async standing(): Promise<StandingVersion[]> {
      const rows = await db
        .selectFrom('token_versions')
        .select(['user_id', 'access_version'])
        .where('access_version', '>', firstVersion)
        .execute()
      return rows.map((row) => ({ userId: row.user_id, accessVersion: row.access_version }))
    },

    /** What was appended behind `id` and still counts at `now`. */
    async after(id: number, now: number): Promise<LoggedRevocation[]> {
      const rows = await db
        .selectFrom('revocations')
        .selectAll()
        .where('id', '>', id)
        .where((eb) => eb.or([eb('expires_at', '>', now), eb('token', 'is', null)]))
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

    /**
     * Removes up to `most` entries that count no more; answers how many. An entry of a user who is gone
     * stays, as nothing else tells of it, and is not looked at again.
     */
    async reap(now: number, most: number): Promise<number> {
      const expired = () =>
        db.selectFrom('revocations').select('id').where('expires_at', '<=', now).limit(most)
      await db
        .updateTable('revocations')
        .set({ expires_at: never })
        .where(
          'id',
          'in',
          expired().where((eb) => eb.not(isToldElsewhere(eb))),
        )
        .execute()
      const { numDeletedRows } = await db
        .deleteFrom('revocations')
        .where('id', 'in', expired().where(isToldElsewhere))
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}

/** By the token's own expiry, or by the version that stands beside the user. */
function isToldElsewhere(eb: ExpressionBuilder<Schema, 'revocations'>) {
  const user = eb
    .selectFrom('token_versions')
    .select('token_versions.user_id')
    .whereRef('token_versions.user_id', '=', 'revocations.user_id')
  return eb.or([eb('token', 'is not', null), eb.exists(user)])
}

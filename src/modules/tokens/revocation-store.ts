import { type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentUser } from '../../core/database/pending-import.ts'
import { type Parameters, prepared } from '../../core/database/prepared.ts'
import { deleteExpired } from '../../core/database/purge.ts'
import type { Schema } from '../../core/database/schema.ts'
import { lockName, takeExclusiveLocks } from '../../core/database/transactions.ts'
import type { AccessClaims } from '../../core/policy/principal.ts'
import { rotationStore } from './rotation-store.ts'

/** A single token, or all access tokens of a user below a version. */
export type Revocation =
  | { readonly token: string }
  | { readonly userId: number; readonly accessVersion: number }

export interface LoggedRevocation {
  readonly id: number
  readonly revocation: Revocation
  /**
   * Epoch milliseconds. A single token has expired by then. Later, a pair is looked up in its
   * table, and the version of a user in `token_versions`.
   */
  readonly expiresAt: number
}

const readBatchSize = 5000

type Place = Parameters<{ next: number; now: number; limit: number }>
const countedFrom = prepared((db, { next, now, limit }: Place) =>
  entriesFrom(db, { next, limit }).where('expires_at', '>', now),
)
const allFrom = prepared((db, place: Omit<Place, 'now'>) => entriesFrom(db, place))

// The division by zero counts as a conflict on PostgreSQL: see postgres/errors.ts.
const noneAfter = prepared(
  (db, { id, now }: Parameters<{ id: number; now: number }>) => ({
    compile: () =>
      sql<never>`select 1 / (case when exists
        (select from revocations where id > ${id} and expires_at > ${now})
        then 0 else 1 end)`.compile(db),
  }),
  { isDeferred: true },
)

const appended = prepared((db, entry: Parameters<NewEntry>) =>
  db.insertInto('revocations').values({
    ...{ token: entry.token, user_id: entry.user_id },
    ...{ access_version: entry.access_version, expires_at: entry.expires_at },
  }),
)
const versionOf = prepared((db, { userId }: Parameters<{ userId: number }>) =>
  db
    .selectFrom('users')
    .leftJoin('token_versions', 'token_versions.user_id', 'users.id')
    .select('access_version')
    .where('users.id', '=', userId)
    .where(isPresentUser),
)

type NewEntry = Omit<Selectable<Schema['revocations']>, 'id'>

function entriesFrom(db: DatabaseOrTransaction, { next, limit }: Omit<Place, 'now'>) {
  return db.selectFrom('revocations').selectAll().where('id', '>=', next).orderBy('id').limit(limit)
}

export function revocationStore(db: DatabaseOrTransaction) {
  return {
    /** The lock keeps other transactions from the next id until this transaction ends. */
    async append(revocation: Revocation, expiresAt: number): Promise<void> {
      await takeExclusiveLocks(db, lockName.revocations)
      const columns =
        'token' in revocation
          ? { token: revocation.token, user_id: null, access_version: null }
          : {
              token: null,
              user_id: revocation.userId,
              access_version: revocation.accessVersion,
            }
      await appended.all(db, { ...columns, expires_at: expiresAt })
    },

    /**
     * Reads entry `id` and all later entries, in batches: a million rows at once would exceed the
     * statement timeout. With `now` (epoch milliseconds) only entries that count then.
     */
    async *from(id: number, now?: number): AsyncGenerator<LoggedRevocation[]> {
      for (let next = id; ; ) {
        const place = { next, limit: readBatchSize }
        // Changes read the log from its end, with the index of ids.
        const rows = await (now === undefined
          ? allFrom.all(db, place)
          : countedFrom.all(db, { ...place, now }))
        yield rows.map(toRevocation)
        const lastOfFullBatch = rows[readBatchSize - 1]
        if (!lastOfFullBatch) return
        next = lastOfFullBatch.id + 1
      }
    },

    /**
     * Whether an access token has ended, by the tables of pairs and token versions. True for a
     * deleted user.
     */
    async hasEnded({ sid, sub, ver }: Pick<AccessClaims, 'sid' | 'sub' | 'ver'>): Promise<boolean> {
      if (sid !== undefined && (await rotationStore(db).isEnded(sid))) return true
      const user = await versionOf.first(db, { userId: Number(sub) })
      return !user || (user.access_version ?? 0) > ver
    },

    /** PostgreSQL: makes the transaction a conflict if there is a later entry. No round trip. */
    async assertNoneAfter(id: number, now: number): Promise<void> {
      await noneAfter.all(db, { id, now })
    },

    async raiseVersion(userId: number, accessVersion: number): Promise<void> {
      await db
        .updateTable('token_versions')
        .set({ access_version: accessVersion })
        .where('user_id', '=', userId)
        .where('access_version', '<', accessVersion)
        .execute()
    },

    /** Deletes up to `batchSize` expired entries; returns the count. */
    purge(now: number, batchSize: number): Promise<number> {
      const revocations = { table: 'revocations', key: 'id', column: 'expires_at' } as const
      return deleteExpired(db, { ...revocations, until: now }, batchSize)
    },
  }
}

function toRevocation(row: Selectable<Schema['revocations']>): LoggedRevocation {
  const { id, token, user_id, access_version, expires_at: expiresAt } = row
  if (token !== null) return { id, expiresAt, revocation: { token } }
  const revocation = { userId: Number(user_id), accessVersion: Number(access_version) }
  return { id, expiresAt, revocation }
}

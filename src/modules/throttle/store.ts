import { sql } from 'kysely'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import {
  type ListParameters,
  type Parameters,
  preparedForLists,
} from '../../core/database/prepared.ts'
import { deleteExpired } from '../../core/database/purge.ts'

/** Attempts with the same key are counted together. */
export interface ThrottleKey {
  /** Keyed digest of the canonical username, or the name of another limit: see keys.ts. */
  readonly username: string
  readonly address: string
}

/** A row of `throttle_places`: one attempt that counts towards one limit. */
export interface CountedAttempt {
  readonly id: number
  /** Epoch milliseconds. */
  readonly takenAt: number
  /** Not judged yet; otherwise it failed. */
  readonly pending: boolean
}

/** The attempts of a key that were taken after `since`. */
export interface Window {
  readonly key: ThrottleKey
  readonly since: number
}

export interface NewAttempt {
  readonly key: ThrottleKey
  readonly expiresAt: number
}

/** Times in epoch milliseconds. */
export interface ExceededSince {
  readonly attempts: number
  readonly since: number
  readonly pendingSince: number
  readonly now: number
}

/** Which failed attempts are removed. Times in epoch milliseconds. */
export interface FailedSince {
  readonly now: number
  /** An attempt that has been pending since then has failed. */
  readonly pendingSince: number
  /** The default is every address. */
  readonly address?: string
}

type Key = { readonly username: string; readonly address: string }
type Id = { readonly id: number }

// The conditions of the indexes of full limits: the key of a login has a digest, that of an address
// nothing.
const keyLengths = { login: 43, address: 0 } as const
const maxCounted = 100

// The queries of every login, compiled once for each number of rate limits.
const inWindows = preparedForLists(
  (db, { windows }: ListParameters<{ windows: (Key & { since: number })[] }>) =>
    db
      .selectFrom('throttle_places')
      .select(['id', 'username', 'address', 'taken_at', 'pending'])
      .where((eb) =>
        eb.or(
          windows.map(({ username, address, since }) =>
            eb.and({ username, address }).and(eb('taken_at', '>', since)),
          ),
        ),
      )
      .orderBy('taken_at')
      .orderBy('id'),
)
const insertedPending = preparedForLists(
  (
    db,
    { attempts }: ListParameters<{ attempts: (Key & { expiresAt: number })[] }>,
    { takenAt }: Parameters<{ takenAt: number }>,
  ) =>
    db
      .insertInto('throttle_places')
      .values(
        attempts.map(({ username, address, expiresAt }) => ({
          ...{ username, address, taken_at: takenAt, pending: 1, expires_at: expiresAt },
        })),
      )
      .returning('id'),
)
const markedFailed = preparedForLists((db, { ids }: ListParameters<{ ids: Id[] }>) =>
  db
    .updateTable('throttle_places')
    .set({ pending: 0 })
    .where(
      'id',
      'in',
      ids.map(({ id }) => id),
    ),
)
const removed = preparedForLists((db, { ids }: ListParameters<{ ids: Id[] }>) =>
  db.deleteFrom('throttle_places').where(
    'id',
    'in',
    ids.map(({ id }) => id),
  ),
)
const cleared = preparedForLists(
  (
    db,
    { ids, keys }: ListParameters<{ ids: Id[]; keys: Key[] }>,
    { pendingSince }: Parameters<{ pendingSince: number }>,
  ) =>
    db.deleteFrom('throttle_places').where((eb) => {
      const isFailed = eb.or([eb('pending', '=', 0), eb('taken_at', '<=', pendingSince)])
      const failed = keys.map(({ username, address }) =>
        eb.and([eb.and({ username, address }), isFailed]),
      )
      const own =
        ids.length > 0
          ? [
              eb(
                'id',
                'in',
                ids.map(({ id }) => id),
              ),
            ]
          : []
      return eb.or([...own, ...failed])
    }),
)

export function throttleStore(db: DatabaseOrTransaction) {
  /** The last attempt of each key, the last of all first. */
  const latest = (now: number) =>
    db
      .selectFrom('throttle_places as place')
      .select(['id', 'username', 'address'])
      .where('expires_at', '>', now)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('throttle_places as later')
              .select('later.id')
              .whereRef('later.username', '=', 'place.username')
              .whereRef('later.address', '=', 'place.address')
              .whereRef('later.id', '>', 'place.id'),
          ),
        ),
      )
      .orderBy('id', 'desc')

  return {
    /** The attempts in each window, the oldest first; one query for all, as a login has several. */
    async attempts(windows: readonly Window[]): Promise<CountedAttempt[][]> {
      if (windows.length === 0) return []
      const rows = await inWindows.all(
        db,
        { windows: windows.map(({ key, since }) => ({ ...columnsOf(key), since })) },
        {},
      )
      return windows.map(({ key, since }) =>
        rows
          .filter(
            ({ username, address, taken_at }) =>
              username === key.username && address === key.address && taken_at > since,
          )
          .map((row) => ({ id: row.id, takenAt: row.taken_at, pending: row.pending === 1 })),
      )
    },

    async insertPending(takenAt: number, attempts: readonly NewAttempt[]): Promise<number[]> {
      const wanted = attempts.map(({ key, expiresAt }) => ({ ...columnsOf(key), expiresAt }))
      const rows = await insertedPending.all(db, { attempts: wanted }, { takenAt })
      return rows.map(({ id }) => id)
    },

    async markFailed(ids: readonly number[]): Promise<void> {
      await markedFailed.all(db, { ids: ids.map((id) => ({ id })) }, {})
    },

    async remove(ids: readonly number[]): Promise<void> {
      await removed.all(db, { ids: ids.map((id) => ({ id })) }, {})
    },

    /** How many keys have attempts among the last `attempts` of all. */
    async countKeys(now: number, attempts: number): Promise<number> {
      const last = db
        .selectFrom('throttle_places')
        .select(['username', 'address', 'expires_at'])
        .orderBy('id', 'desc')
        .limit(attempts)
      const keys = db
        .selectFrom(last.as('last'))
        .select(['username', 'address'])
        .distinct()
        .where('expires_at', '>', now)
      const { total } = await db
        .selectFrom(keys.as('keys'))
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    /** The keys that have attempts, the last used first. */
    async keys(now: number, offset: number, limit: number): Promise<ThrottleKey[]> {
      return (await latest(now).limit(limit).offset(offset).execute()).map(keyOf)
    },

    /** The same keys after those before, which costs the same at any depth. */
    async keysBefore(now: number, id: number, limit: number): Promise<(ThrottleKey & Id)[]> {
      const rows = await latest(now).where('id', '<', id).limit(limit).execute()
      return rows.map((row) => ({ id: row.id, ...keyOf(row) }))
    },

    /** Those keys of these names, the last used first. */
    async keysOf(names: readonly string[], now: number, limit: number): Promise<ThrottleKey[]> {
      const rows = await db
        .selectFrom('throttle_places')
        .select(['username', 'address'])
        .where('expires_at', '>', now)
        .where('username', 'in', names)
        .groupBy(['username', 'address'])
        .orderBy((eb) => eb.fn.max('id'), 'desc')
        .limit(limit)
        .execute()
      return rows.map(keyOf)
    },

    /**
     * How many keys of a limit have `attempts` or more that were taken after `since`; of an
     * address, without attempts that have been pending since `pendingSince`: they have lapsed. An index
     * finds the keys that were full when their last attempt was taken. Up to `maxCounted` of them
     * are counted exactly; of more, the number in the index is answered, in which attempts that were
     * given back or have lapsed may count for the rest of their window.
     */
    async countExceeded(
      count: 'login' | 'address',
      { attempts, since, pendingSince, now }: ExceededSince,
    ): Promise<number> {
      const full = db
        .selectFrom('throttle_places')
        .where(sql`length(username)`, '=', sql.lit(keyLengths[count]))
        .where('nth', '>=', attempts)
        .where('frees_at', '>', now)
      const some = full.select(['username', 'address']).limit(maxCounted + 1)
      const keys = await db
        .selectFrom(some.as('some'))
        .select(['some.username', 'some.address'])
        .select((eb) =>
          eb
            .selectFrom('throttle_places as place')
            .select(eb.fn.countAll<number>().as('total'))
            .whereRef('place.username', '=', 'some.username')
            .whereRef('place.address', '=', 'some.address')
            .where('place.taken_at', '>', since)
            .$if(count === 'address', (query) =>
              query.where((is) =>
                is.or([is('pending', '=', 0), is('taken_at', '>', pendingSince)]),
              ),
            )
            .as('total'),
        )
        .execute()
      if (keys.length <= maxCounted) {
        const exceeded = keys.filter(({ total }) => (total ?? 0) >= attempts)
        return new Set(exceeded.map(({ username, address }) => `${username} ${address}`)).size
      }
      const { total } = await full
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    /**
     * Removes the failed attempts of these usernames, over all addresses unless one is given; pending
     * ones stay. Answers the usernames of the removed attempts that were in a window.
     */
    async removeFailedOf(
      usernames: readonly string[],
      { now, pendingSince, address }: FailedSince,
    ): Promise<string[]> {
      const rows = await db
        .deleteFrom('throttle_places')
        .where('username', 'in', usernames)
        .$if(address !== undefined, (query) => query.where('address', '=', address ?? ''))
        .where((eb) => eb.or([eb('pending', '=', 0), eb('taken_at', '<=', pendingSince)]))
        .returning(['username', 'expires_at'])
        .execute()
      return rows.filter(({ expires_at }) => expires_at > now).map(({ username }) => username)
    },

    /**
     * Removes these attempts, and the failed ones of the keys. Attempts that are still pending
     * stay: other requests judge them.
     */
    async clear(
      ids: readonly number[],
      keys: readonly ThrottleKey[],
      pendingSince: number,
    ): Promise<void> {
      const lists = { ids: ids.map((id) => ({ id })), keys: keys.map(columnsOf) }
      await cleared.all(db, lists, { pendingSince })
    },
  }
}

function keyOf({ username, address }: Key): ThrottleKey {
  return { username, address }
}

function columnsOf({ username, address }: ThrottleKey): Key {
  return { username, address }
}

/** Removes up to `batchSize` attempts that are in no window any more; answers how many. */
export function purgeAttempts(db: Database, now: number, batchSize: number): Promise<number> {
  const attempts = { table: 'throttle_places', key: 'id', column: 'expires_at' } as const
  return deleteExpired(db, { ...attempts, until: now }, batchSize)
}

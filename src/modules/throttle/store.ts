import { sql } from 'kysely'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import {
  type ListParameters,
  type Parameters,
  preparedForLists,
} from '../../core/database/prepared.ts'
import { deleteExpired } from '../../core/database/purge.ts'

export interface ThrottleKey {
  /** Keyed digest of the canonical username, or the name of another limit: keys.ts. */
  readonly username: string
  readonly address: string
}

/** A row of `throttle_places`. */
export interface CountedAttempt {
  readonly id: number
  /** Epoch milliseconds. */
  readonly takenAt: number
  /** Not settled yet; otherwise failed. */
  readonly pending: boolean
}

/** The attempts of a key after `since`. */
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
  /** An attempt pending since before has failed. */
  readonly pendingSince: number
  /** Default: every address. */
  readonly address?: string
}

type Key = { readonly username: string; readonly address: string }
type Id = { readonly id: number }

// Conditions of the indexes of full limits: a login key has a digest, an address key none.
const keyLengths = { login: 43, address: 0 } as const
const maxCounted = 100

// Compiled once per number of rate limits.
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
  /** The last attempt of each key, newest first. */
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
    /** The attempts in each window, oldest first, in one query. */
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

    /** The number of keys among the last `attempts` attempts. */
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

    /** Last used first. */
    async keys(now: number, offset: number, limit: number): Promise<ThrottleKey[]> {
      return (await latest(now).limit(limit).offset(offset).execute()).map(keyOf)
    },

    /** The keys after a page; the same cost at any depth. */
    async keysBefore(now: number, id: number, limit: number): Promise<(ThrottleKey & Id)[]> {
      const rows = await latest(now).where('id', '<', id).limit(limit).execute()
      return rows.map((row) => ({ id: row.id, ...keyOf(row) }))
    },

    /** Last used first. */
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
     * The number of keys with `attempts` or more after `since`; for an address, without attempts
     * pending since `pendingSince`, which have lapsed. Exact up to `maxCounted` keys; above, the
     * number in the index, in which cancelled or lapsed attempts may count for the rest of their
     * window.
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
     * Removes the failed attempts of these usernames, optionally at one address; pending attempts
     * stay. Returns the usernames of removed attempts inside a window.
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
     * Removes these attempts, and the failed attempts of the keys. Pending attempts of other
     * requests stay.
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

/** Deletes up to `batchSize` attempts outside every window; returns the count. */
export function purgeAttempts(db: Database, now: number, batchSize: number): Promise<number> {
  const attempts = { table: 'throttle_places', key: 'id', column: 'expires_at' } as const
  return deleteExpired(db, { ...attempts, until: now }, batchSize)
}

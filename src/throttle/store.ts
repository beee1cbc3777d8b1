import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { type ListParameters, type Parameters, preparedForLists } from '../database/prepared.ts'
import { deleteExpired } from '../database/purge.ts'

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
}

type Key = { readonly username: string; readonly address: string }
type Id = { readonly id: number }

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
  const keys = (now: number) =>
    db
      .selectFrom('throttle_places')
      .select(['username', 'address'])
      .where('expires_at', '>', now)
      .groupBy(['username', 'address'])

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

    /** How many keys have attempts in any window. */
    async countKeys(now: number): Promise<number> {
      const { total } = await db
        .selectFrom(keys(now).as('keys'))
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    /** Those keys, the last used first. */
    async keys(now: number, offset: number, limit: number): Promise<ThrottleKey[]> {
      const rows = await keys(now)
        .orderBy((eb) => eb.fn.max('id'), 'desc')
        .limit(limit)
        .offset(offset)
        .execute()
      return rows.map(({ username, address }) => ({ username, address }))
    },

    /** Those keys of these names, the last used first. */
    async keysOf(names: readonly string[], now: number, limit: number): Promise<ThrottleKey[]> {
      const rows = await keys(now)
        .where('username', 'in', names)
        .orderBy((eb) => eb.fn.max('id'), 'desc')
        .limit(limit)
        .execute()
      return rows.map(({ username, address }) => ({ username, address }))
    },

    /**
     * How many keys of a limit have `attempts` or more that were taken after `since`; of an
     * address, without those that have been pending since `pendingSince`: they have lapsed.
     */
    async countExceeded(
      count: 'login' | 'address',
      { attempts, since, pendingSince }: ExceededSince,
    ): Promise<number> {
      const exceeded = db
        .selectFrom('throttle_places')
        .select('address')
        .where('taken_at', '>', since)
        .where('username', count === 'address' ? '=' : '!=', '')
        .$if(count === 'login', (query) => query.where('username', 'not like', '% %')) // a digest
        .$if(count === 'address', (query) =>
          query.where((eb) => eb.or([eb('pending', '=', 0), eb('taken_at', '>', pendingSince)])),
        )
        .groupBy(['username', 'address'])
        .having((eb) => eb.fn.countAll(), '>=', attempts)
      const { total } = await db
        .selectFrom(exceeded.as('exceeded'))
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    /** Removes the failed attempts of these usernames over all addresses; pending ones stay. */
    async removeFailedOf(usernames: readonly string[], pendingSince: number): Promise<void> {
      await db
        .deleteFrom('throttle_places')
        .where('username', 'in', usernames)
        .where((eb) => eb.or([eb('pending', '=', 0), eb('taken_at', '<=', pendingSince)]))
        .execute()
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

function columnsOf({ username, address }: ThrottleKey): Key {
  return { username, address }
}

/** Removes up to `batchSize` attempts that are in no window any more; answers how many. */
export function purgeAttempts(db: Database, now: number, batchSize: number): Promise<number> {
  const attempts = { table: 'throttle_places', key: 'id', column: 'expires_at' } as const
  return deleteExpired(db, { ...attempts, until: now }, batchSize)
}

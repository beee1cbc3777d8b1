import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { removeEnded } from '../database/purge.ts'

/** Whose tries are counted together. */
export interface ThrottleKey {
  /** Keyed digest of the canonical username, or the name of another count. */
  readonly username: string
  readonly address: string
}

export interface Place {
  readonly id: number
  /** Epoch milliseconds. */
  readonly takenAt: number
  readonly pending: boolean
}

/** What of a key still counts: the places taken after `since`. */
export interface Window {
  readonly key: ThrottleKey
  readonly since: number
}

export interface NewPlace {
  readonly key: ThrottleKey
  readonly expiresAt: number
}

/** Times in epoch milliseconds. */
export interface FullSince {
  readonly attempts: number
  readonly since: number
  readonly pendingSince: number
}

export function throttleStore(db: DatabaseOrTransaction) {
  const keys = (now: number) =>
    db
      .selectFrom('throttle_places')
      .select(['username', 'address'])
      .where('expires_at', '>', now)
      .groupBy(['username', 'address'])

  return {
    /** The places of each count, the oldest first; one query for all, as a login has several. */
    async taken(counts: readonly Window[]): Promise<Place[][]> {
      if (counts.length === 0) return []
      const rows = await db
        .selectFrom('throttle_places')
        .select(['id', 'username', 'address', 'taken_at', 'pending'])
        .where((eb) =>
          eb.or(counts.map(({ key, since }) => eb.and(key).and(eb('taken_at', '>', since)))),
        )
        .orderBy('taken_at')
        .orderBy('id')
        .execute()
      return counts.map(({ key, since }) =>
        rows
          .filter(
            ({ username, address, taken_at }) =>
              username === key.username && address === key.address && taken_at > since,
          )
          .map((row) => ({ id: row.id, takenAt: row.taken_at, pending: row.pending === 1 })),
      )
    },

    async takePending(takenAt: number, places: readonly NewPlace[]): Promise<number[]> {
      const rows = await db
        .insertInto('throttle_places')
        .values(
          places.map(({ key, expiresAt }) => ({
            username: key.username,
            address: key.address,
            taken_at: takenAt,
            pending: 1,
            expires_at: expiresAt,
          })),
        )
        .returning('id')
        .execute()
      return rows.map(({ id }) => id)
    },

    async markUsed(ids: readonly number[]): Promise<void> {
      await db.updateTable('throttle_places').set({ pending: 0 }).where('id', 'in', ids).execute()
    },

    async remove(ids: readonly number[]): Promise<void> {
      await db.deleteFrom('throttle_places').where('id', 'in', ids).execute()
    },

    /** How many keys have places that any window counts. */
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

    /**
     * How many keys of a count have `attempts` places or more that were taken after `since`; of an
     * address, without those that have been pending since `pendingSince`: they have lapsed.
     */
    async countFull(
      count: 'login' | 'address',
      { attempts, since, pendingSince }: FullSince,
    ): Promise<number> {
      const full = db
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
        .selectFrom(full.as('full'))
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow()
      return total
    },

    /** As `removeUsed`, over all addresses. */
    async removeUsedOf(usernames: readonly string[], pendingSince: number): Promise<void> {
      await db
        .deleteFrom('throttle_places')
        .where('username', 'in', usernames)
        .where((eb) => eb.or([eb('pending', '=', 0), eb('taken_at', '<=', pendingSince)]))
        .execute()
    },

    /**
     * Removes these places, and the used ones of the keys: never a pending one that may still be
     * another's.
     */
    async clear(
      ids: readonly number[],
      keys: readonly ThrottleKey[],
      pendingSince: number,
    ): Promise<void> {
      await db
        .deleteFrom('throttle_places')
        .where((eb) => {
          const isUsed = eb.or([eb('pending', '=', 0), eb('taken_at', '<=', pendingSince)])
          const used = keys.map((key) => eb.and([eb.and({ ...key }), isUsed]))
          return eb.or([...(ids.length > 0 ? [eb('id', 'in', ids)] : []), ...used])
        })
        .execute()
    },
  }
}

/** Removes at most `most` places that no window counts any more; answers how many. */
export function purgePlaces(db: Database, now: number, most: number): Promise<number> {
  const places = { table: 'throttle_places', key: 'id', column: 'expires_at' } as const
  return removeEnded(db, { ...places, until: now }, most)
}

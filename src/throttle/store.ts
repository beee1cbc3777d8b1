import { sql } from 'kysely'
import type { Database, DatabaseOrTransaction } from '../database/connect.ts'

/** Whose tries are counted together. */
export interface ThrottleKey {
  /** Digest of the canonical username. */
  readonly username: string
  readonly address: string
}

export interface Place {
  readonly id: number
  /** Epoch milliseconds. */
  readonly takenAt: number
  readonly pending: boolean
}

export function throttleStore(db: DatabaseOrTransaction) {
  const ofKey = ({ username, address }: ThrottleKey) =>
    db.selectFrom('throttle_places').where('username', '=', username).where('address', '=', address)

  return {
    /** The places of a key that were taken after `since`, the oldest first. */
    async taken(key: ThrottleKey, since: number): Promise<Place[]> {
      const rows = await ofKey(key)
        .select(['id', 'taken_at', 'pending'])
        .where('taken_at', '>', since)
        .orderBy('taken_at')
        .orderBy('id')
        .execute()
      return rows.map((row) => ({ id: row.id, takenAt: row.taken_at, pending: row.pending === 1 }))
    },

    async takePending(key: ThrottleKey, now: number): Promise<number> {
      const { id } = await db
        .insertInto('throttle_places')
        .values({ ...key, taken_at: now, pending: 1 })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id
    },

    async markUsed(id: number): Promise<void> {
      await db.updateTable('throttle_places').set({ pending: 0 }).where('id', '=', id).execute()
    },

    async remove(id: number): Promise<void> {
      await db.deleteFrom('throttle_places').where('id', '=', id).execute()
    },

    /** Removes a place of one's own and the used ones of its key, never another's pending one. */
    async clear(key: ThrottleKey, id: number | null, pendingSince: number): Promise<void> {
      await db
        .deleteFrom('throttle_places')
        .where('username', '=', key.username)
        .where('address', '=', key.address)
        .where((eb) =>
          eb.or([
            eb('id', '=', id ?? 0),
            eb('pending', '=', 0),
            eb('taken_at', '<=', pendingSince),
          ]),
        )
        .execute()
    },
  }
}

/** Removes at most `most` places taken before `before`; answers how many. */
export async function reapPlaces(db: Database, before: number, most: number): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('throttle_places')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('throttle_places')
        .select('id')
        .where('taken_at', '<=', before)
        .limit(sql.lit(most)),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

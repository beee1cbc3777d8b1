import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { deleteExpired } from '../database/purge.ts'

/** A sign-in that is under way. */
export interface StoredFlow {
  /** Digest of the state, or of the ticket that waits for a second factor. */
  readonly id: string
  /** Digest of the cookie of the browser that began. */
  readonly browser: string
  readonly purpose: 'sign_in' | 'link' | 'second_factor'
  readonly provider: string
  readonly userId: number | null
  readonly sealed: string
  readonly returnTo: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Of the client that began a sign-in, as limits count it; empty where an account began. */
  readonly address: string
}

const removedAtOnce = 100

type FlowKey = Pick<StoredFlow, 'id' | 'browser'>

export function flowStore(db: DatabaseOrTransaction) {
  return {
    async insert(flow: StoredFlow): Promise<void> {
      await db
        .insertInto('flows')
        .values({
          id: flow.id,
          browser: flow.browser,
          purpose: flow.purpose,
          provider: flow.provider,
          user_id: flow.userId,
          sealed: flow.sealed,
          return_to: flow.returnTo,
          expires_at: flow.expiresAt,
          address: flow.address,
        })
        .execute()
    },

    /**
     * Removes all but the latest `max` of those that began as this one did: for the same purpose,
     * by the same account or at the same address. This one stays.
     */
    async bound({ id, purpose, address, userId }: StoredFlow, max: number): Promise<void> {
      const older = db
        .selectFrom('flows')
        .select('id')
        .where('purpose', '=', purpose)
        .$if(userId === null, (query) => query.where('address', '=', address))
        .$if(userId !== null, (query) => query.where('user_id', '=', userId))
        .where('id', '!=', id)
        .orderBy('expires_at', 'desc')
        .limit(removedAtOnce)
        .offset(max - 1)
      const ids = (await older.execute()).map((row) => row.id)
      if (ids.length > 0) await db.deleteFrom('flows').where('id', 'in', ids).execute()
    },

    /** How many sign-ins are under way. */
    async countSignIns(now: number): Promise<number> {
      const { total } = await db
        .selectFrom('flows')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .where('purpose', '=', 'sign_in')
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow()
      return total
    },

    /** A second factor that is waited for; it stays. */
    async waiting({ id, browser }: FlowKey, now: number): Promise<StoredFlow | null> {
      const row = await db
        .selectFrom('flows')
        .selectAll()
        .where('id', '=', id)
        .where('browser', '=', browser)
        .where('purpose', '=', 'second_factor')
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row ? toFlow(row) : null
    },

    /**
     * Reads and deletes in one statement, so that of many at once one has it. A state that another
     * browser shows, or at another provider's callback, is not used up by that.
     */
    async take(
      { id, browser }: FlowKey,
      { provider, now }: { provider: string; now: number },
    ): Promise<StoredFlow | null> {
      const row = await db
        .deleteFrom('flows')
        .where('id', '=', id)
        .where('browser', '=', browser)
        .where('provider', '=', provider)
        .where('expires_at', '>', now)
        .returningAll()
        .executeTakeFirst()
      return row ? toFlow(row) : null
    },
  }
}

/** Removes at most `most` flows that have expired; answers how many. */
export function purgeFlows(db: Database, now: number, most: number): Promise<number> {
  return deleteExpired(db, { table: 'flows', key: 'id', column: 'expires_at', until: now }, most)
}

interface FlowRow {
  id: string
  browser: string
  purpose: StoredFlow['purpose']
  provider: string
  user_id: number | null
  sealed: string
  return_to: string
  expires_at: number
  address: string
}

function toFlow(row: FlowRow): StoredFlow {
  return {
    id: row.id,
    browser: row.browser,
    purpose: row.purpose,
    provider: row.provider,
    userId: row.user_id,
    sealed: row.sealed,
    returnTo: row.return_to,
    expiresAt: row.expires_at,
    address: row.address,
  }
}

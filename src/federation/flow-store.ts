import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { deleteExpired } from '../database/purge.ts'

/** A stored sign-in that is under way. */
export interface StoredFlow {
  /** Digest of the state, or of the ticket that waits for a second factor. */
  readonly id: string
  /** Digest of the cookie of the browser that began it. */
  readonly browser: string
  readonly purpose: 'sign_in' | 'link' | 'second_factor'
  readonly provider: string
  readonly userId: number | null
  readonly sealed: string
  readonly returnTo: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** The key by which limits count the client of a sign-in; empty if an account began it. */
  readonly address: string
}

const maxRemoved = 100

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
     * Removes older flows of the same purpose and the same account or address, except the latest
     * `max`, this one included; up to `maxRemoved` per call.
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
        .limit(maxRemoved)
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

    /** Finds a flow that waits for a second factor, without using it up. */
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
     * Reads and deletes a flow in one statement, so that one of several requests gets it. A request
     * of another browser, or at another provider's callback, does not use it up.
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

/** Deletes up to `batchSize` expired flows; answers how many. */
export function purgeFlows(db: Database, now: number, batchSize: number): Promise<number> {
  const flows = { table: 'flows', key: 'id', column: 'expires_at' } as const
  return deleteExpired(db, { ...flows, until: now }, batchSize)
}

interface FlowRow {
  id: string
  browser: string
  purpose: string
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
    purpose: row.purpose as StoredFlow['purpose'], // those with a provider
    provider: row.provider,
    userId: row.user_id,
    sealed: row.sealed,
    returnTo: row.return_to,
    expiresAt: row.expires_at,
    address: row.address,
  }
}

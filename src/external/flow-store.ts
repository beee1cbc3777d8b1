import type { Database, DatabaseOrTransaction } from '../database/connect.ts'
import { removeEnded } from '../database/reap.ts'

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
}

const mostSignIns = 100_000

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
        })
        .execute()
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

/**
 * Removes at most `most` flows that nobody can finish any more; of sign-ins, which anybody can begin
 * by the thousand, also all but the latest.
 */
export async function reapFlows(db: Database, now: number, most: number): Promise<number> {
  const flows = { table: 'flows', key: 'id', column: 'expires_at' } as const
  const expired = await removeEnded(db, { ...flows, until: now }, most)
  if (expired === most) return expired
  const { numDeletedRows } = await db
    .deleteFrom('flows')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('flows')
        .select('id')
        .where('purpose', '=', 'sign_in')
        .orderBy('expires_at', 'desc')
        .limit(most - expired)
        .offset(mostSignIns),
    )
    .executeTakeFirstOrThrow()
  return expired + Number(numDeletedRows)
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
  }
}

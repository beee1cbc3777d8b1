import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'

/** A stored flow that is under way: of pages, or a sign-in at a provider. */
export interface StoredFlow {
  /** Digest of the state, of the ticket that waits for a second factor, or of the id of pages. */
  readonly id: string
  /** Digest of the cookie of the browser that began it. */
  readonly browser: string
  readonly purpose: string
  /** Empty for a flow of pages. */
  readonly provider: string
  readonly userId: number | null
  readonly sealed: string
  readonly returnTo: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** The key by which limits count the client of a flow; empty if an account began it. */
  readonly address: string
  /** Empty for a flow at a provider. */
  readonly step: string
  readonly tries: number
  readonly language: string | null
}

const maxRemoved = 100
const maxOfStep = 20

type FlowKey = Pick<StoredFlow, 'id' | 'browser'>

export function flowStore(db: DatabaseOrTransaction) {
  return {
    /** Answers whether no flow of this id was there before. */
    async insert(flow: Omit<StoredFlow, 'tries'>): Promise<boolean> {
      const { numInsertedOrUpdatedRows = 0n } = await db
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
          step: flow.step,
          language: flow.language,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .executeTakeFirst()
      return numInsertedOrUpdatedRows > 0n
    },

    /**
     * Removes older flows of the same purpose and the same account, address or network, except the
     * latest `max`, this one included; up to `maxRemoved` per call. A network is the text with which
     * its addresses begin.
     */
    async bound(
      { id, purpose }: Pick<StoredFlow, 'id' | 'purpose'>,
      of: { readonly userId: number } | { readonly address: string } | { readonly network: string },
      max: number,
    ): Promise<void> {
      const older = db
        .selectFrom('flows')
        .select('id')
        .where('purpose', '=', purpose)
        .where((eb) => {
          if ('userId' in of) return eb('user_id', '=', of.userId)
          if ('address' in of) return eb('address', '=', of.address)
          const end = `${of.network.slice(0, -1)};` // the next character after the colon
          return eb.and([eb('address', '>=', of.network), eb('address', '<', end)])
        })
        .where('id', '!=', id)
        .orderBy('expires_at', 'desc')
        .limit(maxRemoved)
        .offset(max - 1)
      const ids = (await older.execute()).map((row) => row.id)
      if (ids.length > 0) await db.deleteFrom('flows').where('id', 'in', ids).execute()
    },

    /** How many flows of a purpose are under way that no account has begun. */
    async countOfAddresses(purpose: string, now: number): Promise<number> {
      const { total } = await db
        .selectFrom('flows')
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .where('purpose', '=', purpose)
        .where('address', '>', '')
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow()
      return total
    },

    /** Finds a flow of this browser, without using it up. */
    async find(
      { id, browser }: FlowKey,
      { purpose, now }: { purpose: string; now: number },
    ): Promise<StoredFlow | null> {
      const row = await db
        .selectFrom('flows')
        .selectAll()
        .where('id', '=', id)
        .where('browser', '=', browser)
        .where('purpose', '=', purpose)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return row ? toFlow(row) : null
    },

    /** The flows of a browser and an account that are at a step, the newest first. */
    async ofStep({
      browser,
      purpose,
      step,
      userId,
      now,
    }: Pick<StoredFlow, 'browser' | 'purpose' | 'step'> & {
      readonly userId: number
      readonly now: number
    }): Promise<StoredFlow[]> {
      const rows = await db
        .selectFrom('flows')
        .selectAll()
        .where('user_id', '=', userId)
        .where('browser', '=', browser)
        .where('purpose', '=', purpose)
        .where('step', '=', step)
        .where('expires_at', '>', now)
        .orderBy('expires_at', 'desc')
        .limit(maxOfStep)
        .execute()
      return rows.map(toFlow)
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

    /**
     * Takes a flow to another step, if no request has changed it since it was read: its sealed text
     * is another one after each change. Answers whether it did.
     */
    async advance(
      { id, sealed }: Pick<StoredFlow, 'id' | 'sealed'>,
      next: Pick<StoredFlow, 'step' | 'sealed' | 'userId' | 'tries'>,
      now: number,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('flows')
        .set({ step: next.step, sealed: next.sealed, user_id: next.userId, tries: next.tries })
        .where('id', '=', id)
        .where('sealed', '=', sealed)
        .where('expires_at', '>', now)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    /** Deletes a flow, if no request has changed it since it was read; answers whether it did. */
    async remove({ id, sealed }: Pick<StoredFlow, 'id' | 'sealed'>): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('flows')
        .where('id', '=', id)
        .where('sealed', '=', sealed)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Counts a try; answers how many there were with it, null if the flow has ended. */
    async countTry(id: string, now: number): Promise<number | null> {
      const row = await db
        .updateTable('flows')
        .set((eb) => ({ tries: eb('tries', '+', 1) }))
        .where('id', '=', id)
        .where('expires_at', '>', now)
        .returning('tries')
        .executeTakeFirst()
      return row?.tries ?? null
    },
  }
}

// Sign-ins that wait for a further proof: on pages, and with a ticket after a provider.
const waitingSignIns = ['page_sign_in', 'second_factor']

/** Ends the sign-ins of an account that wait for a further proof, such as the second factor. */
export async function endWaitingSignIns(db: DatabaseOrTransaction, userId: number): Promise<void> {
  await db
    .deleteFrom('flows')
    .where('user_id', '=', userId)
    .where('purpose', 'in', waitingSignIns)
    .execute()
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
  step: string
  tries: number
  language: string | null
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
    step: row.step,
    tries: row.tries,
    language: row.language,
  }
}

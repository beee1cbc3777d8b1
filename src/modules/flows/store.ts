import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { deleteExpired } from '../../core/database/purge.ts'

/** A page flow, or a sign-in at a provider. */
export interface StoredFlow {
  /** Digest of the state, the second-factor ticket, or the page flow's id. */
  readonly id: string
  /** Digest of the browser's cookie. */
  readonly browser: string
  readonly purpose: string
  /** Empty for page flows. */
  readonly provider: string
  readonly userId: number | null
  readonly sealed: string
  readonly returnTo: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** Rate limit key; empty if an account began the flow. */
  readonly address: string
  /** Empty at a provider. */
  readonly step: string
  readonly tries: number
  readonly language: string | null
}

const maxRemoved = 100
const maxOfStep = 20

type FlowKey = Pick<StoredFlow, 'id' | 'browser'>

export function flowStore(db: DatabaseOrTransaction) {
  return {
    /** Returns whether the id was new. */
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
     * Keeps the latest `max` flows of the same purpose and account, address or network, including
     * this flow; removes up to `maxRemoved`. A network is an address prefix.
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
          const end = `${of.network.slice(0, -1)};` // the character after the colon
          return eb.and([eb('address', '>=', of.network), eb('address', '<', end)])
        })
        .where('id', '!=', id)
        .orderBy('expires_at', 'desc')
        .limit(maxRemoved)
        .offset(max - 1)
      const ids = (await older.execute()).map((row) => row.id)
      if (ids.length > 0) await db.deleteFrom('flows').where('id', 'in', ids).execute()
    },

    /** Only flows without account. */
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

    /** Does not consume the flow. */
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

    /** Newest first. */
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
     * Atomic: only one request gets the flow. Other browsers and other providers' callbacks do not
     * consume it.
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

    /** Compares the sealed text, which differs after each change. Returns whether unchanged. */
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

    /** Returns false if the flow changed since it was read. */
    async remove({ id, sealed }: Pick<StoredFlow, 'id' | 'sealed'>): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('flows')
        .where('id', '=', id)
        .where('sealed', '=', sealed)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },

    /** Returns the new count; null if ended. */
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

// On pages, and by ticket after a provider.
const waitingSignIns = ['page_sign_in', 'second_factor']

export async function endWaitingSignIns(db: DatabaseOrTransaction, userId: number): Promise<void> {
  await db
    .deleteFrom('flows')
    .where('user_id', '=', userId)
    .where('purpose', 'in', waitingSignIns)
    .execute()
}

/** Returns the count. */
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

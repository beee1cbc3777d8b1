import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { forUpdate } from '../../core/database/transactions.ts'

export interface Consent {
  readonly client: string
  readonly scopes: readonly string[]
  /** Epoch milliseconds. */
  readonly givenAt: number
}

/** What people let applications have: one row for each person and application. */
export function consentStore(db: DatabaseOrTransaction) {
  return {
    async of(userId: number): Promise<Consent[]> {
      const rows = await db
        .selectFrom('provider_consents')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('client')
        .execute()
      return rows.map((row) => ({
        client: row.client,
        scopes: row.scopes.split(' ').filter(Boolean),
        givenAt: row.given_at,
      }))
    },

    async scopesOf(userId: number, client: string): Promise<readonly string[]> {
      const row = await db
        .selectFrom('provider_consents')
        .select('scopes')
        .where('user_id', '=', userId)
        .where('client', '=', client)
        .executeTakeFirst()
      return row?.scopes.split(' ').filter(Boolean) ?? []
    },

    /** Whether the person still lets the application have the scopes. A withdrawal waits for the commit. */
    async has({ userId, client, scopes }: Pick<Consent, 'client' | 'scopes'> & { userId: number }) {
      const now = await lockedScopes(userId, client)
      return scopes.every((scope) => now.includes(scope))
    },

    /** Adds to the scopes of before. */
    async give(userId: number, client: string, scopes: readonly string[], now: number) {
      await db
        .insertInto('provider_consents')
        .values({ user_id: userId, client, scopes: '', given_at: now })
        .onConflict((conflict) => conflict.columns(['user_id', 'client']).doNothing())
        .execute()
      // Two tabs may allow different scopes at once.
      const before = await lockedScopes(userId, client)
      const all = [...new Set([...before, ...scopes])].join(' ')
      await db
        .updateTable('provider_consents')
        .set({ scopes: all, given_at: now })
        .where('user_id', '=', userId)
        .where('client', '=', client)
        .execute()
    },

    async clients(): Promise<string[]> {
      const rows = await db.selectFrom('provider_consents').select('client').distinct().execute()
      return rows.map(({ client }) => client)
    },

    /** Another application may get the id later. Returns the count. */
    async removeOfClient(client: string): Promise<number> {
      const { numDeletedRows } = await db
        .deleteFrom('provider_consents')
        .where('client', '=', client)
        .executeTakeFirst()
      return Number(numDeletedRows)
    },

    /** False if there was none. */
    async withdraw(userId: number, client: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('provider_consents')
        .where('user_id', '=', userId)
        .where('client', '=', client)
        .executeTakeFirst()
      return numDeletedRows > 0n
    },
  }

  async function lockedScopes(userId: number, client: string): Promise<readonly string[]> {
    const query = db
      .selectFrom('provider_consents')
      .select('scopes')
      .where('user_id', '=', userId)
      .where('client', '=', client)
    const row = await forUpdate(db, query).executeTakeFirst()
    return row?.scopes.split(' ').filter(Boolean) ?? []
  }
}

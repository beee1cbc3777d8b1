import type { ExpressionBuilder } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import type { Schema } from '../../core/database/schema.ts'

export interface Subject {
  readonly issuer: string
  readonly subject: string
}

export interface LinkedIdentity extends Subject {
  readonly id: number
  readonly userId: number
  /** Epoch milliseconds. */
  readonly createdAt: number
}

export function identityStore(db: DatabaseOrTransaction) {
  return {
    async userIdOf({ issuer, subject }: Subject): Promise<number | null> {
      const row = await db
        .selectFrom('identities')
        .select('user_id')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .executeTakeFirst()
      return row?.user_id ?? null
    },

    /**
     * `madeAccount`: whether the identity creates the account. @throws UniqueViolation if already
     * linked
     */
    async insert(
      userId: number,
      { issuer, subject }: Subject,
      { createdAt, madeAccount }: { createdAt: number; madeAccount: boolean },
    ): Promise<void> {
      const row = { user_id: userId, issuer, subject, created_at: createdAt }
      await db
        .insertInto('identities')
        .values({ ...row, made_account: Number(madeAccount) })
        .execute()
    },

    async of(userId: number): Promise<LinkedIdentity[]> {
      const rows = await db
        .selectFrom('identities')
        .selectAll()
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute()
      return rows.map((row) => ({
        id: row.id,
        userId: row.user_id,
        issuer: row.issuer,
        subject: row.subject,
        createdAt: row.created_at,
      }))
    },

    /** Since `since` (epoch milliseconds), except the identity that created the account. */
    async removeSince(
      userId: number,
      since: number,
    ): Promise<Pick<LinkedIdentity, 'id' | 'issuer'>[]> {
      return db
        .deleteFrom('identities')
        .where('user_id', '=', userId)
        .where('created_at', '>=', since)
        .where((eb) => eb(hasMadeAccount(eb), '=', 0))
        .returning(['id', 'issuer'])
        .execute()
    },

    /** Returns the issuer; null if not found. */
    async remove(userId: number, id: number): Promise<string | null> {
      const row = await db
        .deleteFrom('identities')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning('issuer')
        .executeTakeFirst()
      return row?.issuer ?? null
    },
  }
}

// The first identity is stored with the account, within this time. Rows before 0.10.0 lack the
// mark.
const madeTogetherMs = 5_000

function hasMadeAccount(eb: ExpressionBuilder<Schema, 'identities'>) {
  const madeAt = eb
    .selectFrom('accounts')
    .whereRef('accounts.user_id', '=', 'identities.user_id')
    .select('accounts.created_at')
  const isTogether = eb('identities.created_at', '<', eb(madeAt, '+', madeTogetherMs))
  return eb.fn.coalesce('made_account', eb.case().when(isTogether).then(1).else(0).end())
}

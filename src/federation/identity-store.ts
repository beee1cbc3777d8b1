import type { DatabaseOrTransaction } from '../database/database.ts'

/** The identity of a user at a provider. */
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

    /** @throws UniqueViolation if the identity is linked to an account already */
    async insert(userId: number, { issuer, subject }: Subject, createdAt: number): Promise<void> {
      await db
        .insertInto('identities')
        .values({ user_id: userId, issuer, subject, created_at: createdAt })
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

    /** Answers the issuer of the removed identity; null if the user has no such identity. */
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

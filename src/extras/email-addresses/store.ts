import { type EmailAddress, parseEmail } from '../../core/addresses/email.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'

/** Times: epoch milliseconds. */
export interface StoredEmail {
  readonly address: EmailAddress | null
  readonly verifiedAt: number | null
  /** The mail server's permanent rejection. */
  readonly undeliverableAt: number | null
  readonly undeliverableReason: string | null
}

export function emailStore(db: DatabaseOrTransaction) {
  return {
    /** Null if the account does not exist. */
    async of(userId: number): Promise<StoredEmail | null> {
      const row = await db
        .selectFrom('accounts')
        .select(['verified_email', 'email_verified_at', 'undeliverable_at', 'undeliverable_reason'])
        .where('user_id', '=', userId)
        .where(isPresentAccount)
        .executeTakeFirst()
      if (!row) return null
      return {
        address: row.verified_email === null ? null : parseEmail(row.verified_email),
        verifiedAt: row.email_verified_at,
        undeliverableAt: row.undeliverable_at,
        undeliverableReason: row.undeliverable_reason,
      }
    },

    /** By canonical address. */
    async ownerOf(key: string) {
      const row = await db
        .selectFrom('accounts')
        .select(['user_id', 'username'])
        .where('verified_email_key', '=', key)
        .executeTakeFirst()
      return row ? { userId: row.user_id, username: row.username } : null
    },

    /**
     * Also clears delivery errors; null removes the address. @throws UniqueViolation if another
     * account has the address
     */
    async set(userId: number, address: EmailAddress | null, now: number): Promise<void> {
      await db
        .updateTable('accounts')
        .set({
          verified_email: address?.address ?? null,
          verified_email_key: address?.key ?? null,
          email_verified_at: address ? now : null,
          undeliverable_at: null,
          undeliverable_reason: null,
        })
        .where('user_id', '=', userId)
        .execute()
    },

    async setLanguage(userId: number, language: string | null): Promise<void> {
      await db.updateTable('accounts').set({ language }).where('user_id', '=', userId).execute()
    },
  }
}

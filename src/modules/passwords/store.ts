import type { DatabaseOrTransaction } from '../../core/database/database.ts'

export interface StoredPassword {
  /** The user's id. */
  readonly account: number
  readonly hash: string
  readonly mustChange: boolean
  /** Epoch milliseconds; null if the password was set in another system. */
  readonly changedAt: number | null
}

/** A change of a stored password; an absent field stays as it is. */
export interface PasswordChange {
  /** The hash of the new password. */
  readonly hash?: string | undefined
  readonly mustChange?: boolean | undefined
}

/**
 * Writes the passwords of accounts; accounts/store.ts reads them with the account, in one
 * statement. An account without a row has no password. State that concerns every login method, such
 * as the lock, belongs to the table of accounts.
 */
export function passwordStore(db: DatabaseOrTransaction) {
  return {
    async insert(passwords: readonly StoredPassword[]): Promise<void> {
      if (passwords.length === 0) return
      const rows = passwords.map(({ account, hash, mustChange, changedAt }) => ({
        ...{ account, hash, changed_at: changedAt },
        must_change: Number(mustChange),
      }))
      await db.insertInto('passwords').values(rows).execute()
    },

    /** Changes a password. An account without one may get a row that only demands a change. */
    async change(
      account: number,
      { hash, mustChange }: PasswordChange,
      now: number,
    ): Promise<void> {
      const changes = {
        ...(hash !== undefined && { hash, changed_at: now }),
        ...(mustChange !== undefined && { must_change: Number(mustChange) }),
      }
      if (Object.keys(changes).length === 0) return
      await db
        .insertInto('passwords')
        .values({ account, hash: null, changed_at: null, ...changes })
        .onConflict((conflict) => conflict.column('account').doUpdateSet(changes))
        .execute()
    },

    /** Removes a password that was set at `since` or later; answers whether it did. */
    async voidSince(account: number, since: number): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('passwords')
        .set({ hash: null, changed_at: null })
        .where('account', '=', account)
        .where('changed_at', '>=', since)
        .where('hash', 'is not', null)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async replaceHash(account: number, from: string, to: string): Promise<void> {
      await db
        .updateTable('passwords')
        .set({ hash: to })
        .where('account', '=', account)
        .where('hash', '=', from)
        .execute()
    },
  }
}

import type { DatabaseOrTransaction } from '../../core/database/database.ts'

export interface StoredPassword {
  readonly account: number
  readonly hash: string
  readonly mustChange: boolean
  /** Epoch milliseconds; null if set elsewhere. */
  readonly changedAt: number | null
}

/** Absent fields stay unchanged. */
export interface PasswordChange {
  readonly hash?: string | undefined
  readonly mustChange?: boolean | undefined
}

/**
 * accounts/store.ts reads passwords with the account in one statement. No row: no password. State
 * of all login methods, such as locks, belongs to accounts.
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

    /** An account without password may get a row that only forces a change. */
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

    /** Returns whether the password was set at or after `since`. */
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

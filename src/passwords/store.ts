import type { DatabaseOrTransaction } from '../database/database.ts'

export interface StoredPassword {
  /** The user's id. */
  readonly account: number
  readonly hash: string
  readonly mustChange: boolean
  /** Epoch milliseconds; null where the password was set elsewhere. */
  readonly changedAt: number | null
}

/** What is absent stays as it is. */
export interface PasswordChange {
  /** Of another password. */
  readonly hash?: string | undefined
  readonly mustChange?: boolean | undefined
}

/**
 * The passwords of accounts. They are read with the account, in one statement: accounts/store.ts.
 * An account without a row here has no password. What is asked of an account whatever it logs in
 * with, such as its lock, stays there.
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

    /** That one is due is stored also where there is none yet. */
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

import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'

/** An account by its name; `emailKey` is its verified address in canonical form. */
export interface NamedAccount {
  readonly userId: number
  readonly username: string
  readonly emailKey: string | null
}

export interface SomeAccounts {
  readonly accounts: readonly NamedAccount[]
  /** The greatest user id that was read; null after the last account. */
  readonly last: number | null
}

// No rule refuses the own verified address, and of other ASCII names only one with an at sign.
const isUnusual = sql<boolean>`(
  (verified_email_key is null or verified_email_key <> username)
  and (username like '%@%' or octet_length(username) <> length(username)))`

/** Reads usernames for the checks, by steps of a bounded size. */
export function usernameStore(db: DatabaseOrTransaction) {
  const named = db
    .selectFrom('accounts')
    .select(['user_id as userId', 'username', 'verified_email_key as emailKey'])
    .where(isPresentAccount)

  return {
    /** The accounts whose names may break a rule, among the next `size` accounts after a user id. */
    async unusualAfter(userId: number, size: number): Promise<SomeAccounts> {
      const end = await db
        .selectFrom('accounts')
        .select('user_id')
        .where('user_id', '>', userId)
        .orderBy('user_id')
        .offset(size - 1)
        .limit(1)
        .executeTakeFirst()
      const last = end?.user_id ?? null
      const accounts = await named
        .where('user_id', '>', userId)
        .where('user_id', '<=', last ?? Number.MAX_SAFE_INTEGER)
        .where(isUnusual)
        .orderBy('user_id')
        .execute()
      return { accounts, last }
    },

    /** The accounts with one of these names, without administrators. */
    async namedOneOf(usernames: readonly string[]): Promise<NamedAccount[]> {
      return named
        .where('username', 'in', usernames)
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(
              selectFrom('role_assignments')
                .select('role')
                .whereRef('account', '=', 'accounts.user_id')
                .where('role', '=', 'ADMIN'),
            ),
          ),
        )
        .orderBy('user_id')
        .execute()
    },

    /** Filters addresses, in canonical form: those that an account has verified. */
    async verifiedAmong(keys: readonly string[]): Promise<ReadonlySet<string | null>> {
      if (keys.length === 0) return new Set()
      const rows = await named.where('verified_email_key', 'in', keys).execute()
      return new Set(rows.map(({ emailKey }) => emailKey))
    },
  }
}

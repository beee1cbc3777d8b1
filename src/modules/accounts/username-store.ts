import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'

/** `emailKey`: canonical verified address. */
export interface NamedAccount {
  readonly userId: number
  readonly username: string
  readonly emailKey: string | null
}

// Among ASCII names, only names with an at sign can break a rule; the own verified address is
// allowed.
const isUnusual = sql<boolean>`(
  (verified_email_key is null or verified_email_key <> username)
  and (username like '%@%' or octet_length(username) <> length(username)))`

export function usernameStore(db: DatabaseOrTransaction) {
  const named = db
    .selectFrom('accounts')
    .select(['user_id as userId', 'username', 'verified_email_key as emailKey'])
    .where(isPresentAccount)

  return {
    /** Accounts whose names may break a rule; `last` is null after the last account. */
    async unusualAfter(userId: number, size: number) {
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

    /** Without administrators. */
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

    async verifiedAmong(keys: readonly string[]): Promise<ReadonlySet<string | null>> {
      if (keys.length === 0) return new Set()
      const rows = await named.where('verified_email_key', 'in', keys).execute()
      return new Set(rows.map(({ emailKey }) => emailKey))
    },
  }
}

import type { Database } from '../../core/database/database.ts'

/** Counted up to this number. */
export const maxPosts = 1001

/** Undefined if the account does not exist. Times in epoch milliseconds. */
export function accountFacts(db: Database, userId: number) {
  return db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .leftJoin('passwords', 'passwords.account', 'accounts.user_id')
    .select(['users.name', 'users.email', 'failed_logins', 'locked_until', 'last_login_at'])
    .select(['accounts.import_id', 'language', 'passwords.hash', 'changed_at', 'must_change'])
    .select((eb) => [
      eb
        .selectFrom('known_devices')
        .whereRef('known_devices.user_id', '=', 'accounts.user_id')
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .as('devices'),
      eb
        .selectFrom(
          eb
            .selectFrom('posts')
            .where('author_id', '=', userId)
            .select('posts.id')
            .limit(maxPosts)
            .as('written'),
        )
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .as('posts'),
    ])
    .where('accounts.user_id', '=', userId)
    .executeTakeFirst()
}

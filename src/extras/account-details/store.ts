import type { Database } from '../../core/database/database.ts'

/** Times in epoch milliseconds. */
export interface AccountFacts {
  readonly name: string
  readonly email: string
  readonly failedLogins: number
  /** Null if not locked out. */
  readonly lockedOutUntil: number | null
  readonly lastLoginAt: number | null
  readonly imported: boolean
  readonly language: string | null
  readonly hasPassword: boolean
  readonly passwordChangedAt: number | null
  readonly mustChange: boolean
  readonly devices: number
  /** Capped at `maxPosts`. */
  readonly posts: number
}

export const maxPosts = 1001

/** Null if deleted meanwhile. */
export async function accountFacts(
  db: Database,
  userId: number,
  now: number,
): Promise<AccountFacts | null> {
  const row = await db
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
  return row
    ? {
        name: row.name,
        email: row.email,
        failedLogins: row.failed_logins,
        lockedOutUntil:
          row.locked_until !== null && row.locked_until > now ? row.locked_until : null,
        lastLoginAt: row.last_login_at === 0 ? null : row.last_login_at,
        imported: row.import_id !== null,
        language: row.language,
        hasPassword: row.hash !== null,
        passwordChangedAt: row.changed_at,
        mustChange: row.must_change === 1,
        devices: Number(row.devices),
        posts: Number(row.posts),
      }
    : null
}

import type { DatabaseOrTransaction } from '../database/database.ts'
import { isPresentAccount } from '../database/staged.ts'

export type ExportedRow = Awaited<ReturnType<typeof exportedAfter>>[number]

/** Accounts with their users, behind a user's id. */
export function exportedAfter(db: DatabaseOrTransaction, userId: number, limit: number) {
  return db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .select([
      'accounts.user_id',
      'username',
      'password_hash',
      'name',
      'email',
      'roles',
      'locked',
      'active',
      'second_factor',
      'must_change',
      'created_at',
    ])
    .where('accounts.user_id', '>', userId)
    .where(isPresentAccount)
    .orderBy('accounts.user_id')
    .limit(limit)
    .execute()
}

import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPresentAccount } from '../../core/database/pending-import.ts'
import { roleNamesOfAccount } from '../../core/database/role-names.ts'

export type ExportedRow = Awaited<ReturnType<typeof exportedAfter>>[number]

export function exportedAfter(db: DatabaseOrTransaction, userId: number, limit: number) {
  return db
    .selectFrom('accounts')
    .innerJoin('users', 'users.id', 'accounts.user_id')
    .leftJoin('passwords', 'passwords.account', 'accounts.user_id')
    .select(roleNamesOfAccount.as('roles'))
    .select([
      'accounts.user_id',
      'username',
      'hash',
      'name',
      'email',
      'locked',
      'active',
      'second_factor',
      'deletion_at',
      'must_change',
      'created_at',
    ])
    .where('accounts.user_id', '>', userId)
    .where(isPresentAccount)
    .orderBy('accounts.user_id')
    .limit(limit)
    .execute()
}

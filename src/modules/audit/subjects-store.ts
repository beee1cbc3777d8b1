import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'

/**
 * Users without a key who signed in at `since` or later; at most 100. Logins create the key; the
 * removal of a user deletes both.
 */
export async function signedInWithoutKey(
  db: DatabaseOrTransaction,
  since: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('user_id')
    .where('last_login_at', '>=', Math.max(1, since)) // 0: never
    .where(sql<boolean>`(import_id is null or import_id > 0)`)
    .where(
      sql<boolean>`not exists (
        select 1 from audit_subjects where subject = cast(accounts.user_id as text))`,
    )
    .orderBy('user_id')
    .limit(100)
    .execute()
  return rows.map((row) => row.user_id)
}

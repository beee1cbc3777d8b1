import type { Database } from '../src/core/database/database.ts'
import { ownDatabase } from './own-database.ts'
import { usersOfIds } from './users-of-ids.ts'

/** A database with the schema and accounts of the ids 1 to `accounts`, without a service. */
export async function storesWith(accounts: number): Promise<Database> {
  const { db } = await ownDatabase()
  await usersOfIds(db, 1, accounts)
  const rows = Array.from({ length: accounts }, (_, index) => ({
    ...{ user_id: index + 1, username: `user${index + 1}`, locked: 0, active: 1, created_at: 0 },
  }))
  await db.insertInto('accounts').values(rows).execute()
  const versions = rows.map(({ user_id }) => ({ user_id, access_version: 1, refresh_version: 1 }))
  await db.insertInto('token_versions').values(versions).execute()
  return db
}

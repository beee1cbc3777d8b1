import type { Config } from '../../core/config/load.ts'
import type { Database } from '../../core/database/database.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import type { FindUsers } from './lists.ts'
import { searchPostgres } from './search-postgres.ts'
import { searchSqlite } from './search-sqlite.ts'

export function createFindUsers(
  db: Database,
  { poolMax, timeoutMs }: Config['database'],
): FindUsers {
  return isPostgres(db) ? searchPostgres(db, poolMax) : searchSqlite(db, timeoutMs)
}

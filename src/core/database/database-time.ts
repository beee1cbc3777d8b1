import { sql } from 'kysely'
import type { DatabaseOrTransaction } from './database.ts'
import { isPostgres } from './transactions.ts'

/**
 * For node leases, in epoch milliseconds. Node clocks differ, so PostgreSQL's clock counts; a
 * SQLite file uses the machine's.
 */
export async function databaseTime(
  db: DatabaseOrTransaction,
  clock: { now(): number },
): Promise<number> {
  if (!isPostgres(db)) return clock.now()
  const { rows } = await sql<{ now: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::bigint as now`.execute(db)
  return rows[0]?.now ?? clock.now()
}

import { sql } from 'kysely'
import type { DatabaseOrTransaction } from './database.ts'
import { isPostgres } from './transactions.ts'

/**
 * The time by which leases of nodes are judged, in epoch milliseconds. The clocks of nodes differ, so
 * that of PostgreSQL counts; a SQLite file has the clock of its machine.
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

import { sql } from 'kysely'
import type { Database } from '../src/core/database/database.ts'

/** How many statements of a database of PostgreSQL wait for a lock. */
export async function waitingForLocks(db: Database): Promise<number> {
  const { rows } = await sql`select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
  return rows.length
}

import { PostgresAdapter, sql } from 'kysely'
import type { Database, DatabaseOrTransaction } from './connect.ts'

/** Runs work that sees one state of the database from its start to its end, and writes nothing. */
export async function inSnapshot<T>(
  db: Database,
  work: (trx: DatabaseOrTransaction) => Promise<T>,
): Promise<T> {
  return db
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      // A pool may begin all its transactions alike.
      if (isPostgres(trx)) {
        await sql`set transaction isolation level repeatable read, read only`.execute(trx)
        await sql`select 1`.execute(trx) // the first query takes the snapshot
      }
      return work(trx)
    })
}

/** For the few statements that both databases do not understand alike. */
export function isPostgres(db: DatabaseOrTransaction): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter
}

import { sql } from 'kysely'
import type { Database, DatabaseOrTransaction } from './database.ts'
import { unhurried } from './postgres/lease.ts'
import { isPostgres } from './transactions.ts'

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
        await takeTime(trx)
        await sql`select 1`.execute(trx) // the first query takes the snapshot
      }
      return work(trx)
    })
}

/** Lets the statements of a transaction last as long as they do. */
export async function takeTime(trx: DatabaseOrTransaction): Promise<void> {
  if (isPostgres(trx)) await trx.executeQuery(unhurried)
}

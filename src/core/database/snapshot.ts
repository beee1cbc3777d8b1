import { sql } from 'kysely'
import type { Database, DatabaseOrTransaction } from './database.ts'
import { withoutTimeouts } from './postgres/lease.ts'
import { isPostgres } from './transactions.ts'

/** For read-only work. */
export async function inSnapshot<T>(
  db: Database,
  work: (trx: DatabaseOrTransaction) => Promise<T>,
): Promise<T> {
  return db
    .transaction()
    .setAccessMode('read only')
    .setIsolationLevel('repeatable read')
    .execute(async (trx) => {
      // The pool begins all transactions alike, so the isolation is set here.
      if (isPostgres(trx)) {
        await sql`set transaction isolation level repeatable read, read only`.execute(trx)
        await disableTimeouts(trx)
        await sql`select 1`.execute(trx) // the first query takes the snapshot
      }
      return work(trx)
    })
}

/** For the following statements of a transaction. */
export async function disableTimeouts(trx: DatabaseOrTransaction): Promise<void> {
  if (isPostgres(trx)) await trx.executeQuery(withoutTimeouts)
}

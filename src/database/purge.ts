import { sql } from 'kysely'
import type { DatabaseOrTransaction } from './database.ts'
import type { Schema } from './schema.ts'
import { isPostgres } from './transactions.ts'

/** Rows that nobody needs once a time has come. */
export interface Ended<Table extends keyof Schema> {
  readonly table: Table
  /** Its primary key. */
  readonly key: keyof Schema[Table] & string
  /** The time that decides; there is an index that begins with it. */
  readonly column: keyof Schema[Table] & string
  /** Up to and with this. */
  readonly until: number
}

/**
 * Removes at most `most` rows that have ended, the oldest first; answers how many. In the order of the
 * index, so that a step costs the same at any size: PostgreSQL would else read the table from its
 * beginning, over all that earlier steps have removed. Several nodes share the work, and none waits.
 */
export async function removeEnded<Table extends keyof Schema>(
  db: DatabaseOrTransaction,
  { table, key, column, until }: Ended<Table>,
  most: number,
): Promise<number> {
  const [name, id, time] = [sql.table(table), sql.ref(key), sql.ref(column)]
  const ended = sql`select ${id} from ${name} where ${time} <= ${until} order by ${time} limit ${most}`
  // As an array: a subselect of `in` may be asked again for each row, and then skips what is gone.
  const those = isPostgres(db)
    ? sql`= any(array(${ended} for update skip locked))`
    : sql`in (${ended})`
  const { numAffectedRows = 0n } = await sql`delete from ${name} where ${id} ${those}`.execute(db)
  return Number(numAffectedRows)
}

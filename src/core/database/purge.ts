import { type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from './database.ts'
import type { Schema } from './schema.ts'
import { isPostgres } from './transactions.ts'

/** Rows of a table that have expired by a given time. */
export interface Expired<Table extends keyof Schema> {
  readonly table: Table
  /** Its primary key. */
  readonly key: keyof Schema[Table] & string
  /** When the row expires; an index begins with it. */
  readonly column: keyof Schema[Table] & string
  /** Rows up to and including this time have expired. */
  readonly until: number
}

/**
 * Deletes up to `batchSize` rows that have expired, the oldest first; answers how many. It reads
 * them in the order of the index, so that a batch costs the same at any size of the table:
 * otherwise PostgreSQL would read the table from its beginning, over all rows that earlier batches
 * deleted. Several nodes share the work, and none waits for another.
 */
export async function deleteExpired<Table extends keyof Schema>(
  db: DatabaseOrTransaction,
  expired: Expired<Table>,
  batchSize: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await deletion(db, expired, batchSize).execute(db)
  return Number(numAffectedRows)
}

/** The same; answers columns of the deleted rows. */
export async function takeExpired<
  Table extends keyof Schema,
  Column extends keyof Schema[Table] & string,
>(
  db: DatabaseOrTransaction,
  { returning, ...expired }: Expired<Table> & { readonly returning: readonly Column[] },
  batchSize: number,
): Promise<Pick<Selectable<Schema[Table]>, Column & keyof Selectable<Schema[Table]>>[]> {
  const columns = sql.join(returning.map((name) => sql.ref(name)))
  const { rows } = await sql`${deletion(db, expired, batchSize)} returning ${columns}`.execute(db)
  return rows as Pick<Selectable<Schema[Table]>, Column & keyof Selectable<Schema[Table]>>[] // as the statement names them
}

function deletion<Table extends keyof Schema>(
  db: DatabaseOrTransaction,
  { table, key, column, until }: Expired<Table>,
  batchSize: number,
) {
  const [name, id, time] = [sql.table(table), sql.ref(key), sql.ref(column)]
  const expired = sql`select ${id} from ${name} where ${time} <= ${until}
    order by ${time} limit ${batchSize}`
  // An array: PostgreSQL may evaluate a subselect of `in` again for each row, and it would then
  // skip the deleted rows and answer further ones.
  const isExpired = isPostgres(db)
    ? sql`= any(array(${expired} for update skip locked))`
    : sql`in (${expired})`
  return sql`delete from ${name} where ${id} ${isExpired}`
}

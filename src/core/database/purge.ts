import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { DatabaseOrTransaction } from './database.ts'
import type { Schema } from './schema.ts'
import { isPostgres } from './transactions.ts'

export interface Expired<Table extends keyof Schema> {
  readonly table: Table
  readonly key: keyof Schema[Table] & string
  /** When the row expires; must be the first column of an index. */
  readonly column: keyof Schema[Table] & string
  /** Inclusive. */
  readonly until: number
  /** Which of the expired rows. */
  readonly only?: RawBuilder<unknown>
}

/**
 * Deletes up to `batchSize` expired rows, oldest first; returns their number. Index order keeps the
 * cost constant: otherwise PostgreSQL would scan the rows that earlier batches deleted. Several
 * nodes can purge concurrently.
 */
export async function deleteExpired<Table extends keyof Schema>(
  db: DatabaseOrTransaction,
  expired: Expired<Table>,
  batchSize: number,
): Promise<number> {
  const { numAffectedRows = 0n } = await deletion(db, expired, batchSize).execute(db)
  return Number(numAffectedRows)
}

/** Like `deleteExpired`, but returns columns of the deleted rows. */
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
  return rows as Pick<Selectable<Schema[Table]>, Column & keyof Selectable<Schema[Table]>>[]
}

function deletion<Table extends keyof Schema>(
  db: DatabaseOrTransaction,
  { table, key, column, until, only = sql`1 = 1` }: Expired<Table>,
  batchSize: number,
) {
  const [name, id, time] = [sql.table(table), sql.ref(key), sql.ref(column)]
  const expired = sql`select ${id} from ${name} where ${time} <= ${until} and ${only}
    order by ${time} limit ${batchSize}`
  // An array: PostgreSQL may evaluate a subselect of `in` again for each row and then delete
  // further rows.
  const isExpired = isPostgres(db)
    ? sql`= any(array(${expired} for update skip locked))`
    : sql`in (${expired})`
  return sql`delete from ${name} where ${id} ${isExpired}`
}

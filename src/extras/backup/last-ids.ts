import { sql } from 'kysely'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { isPostgres } from '../../core/database/transactions.ts'
import type { TableName } from './rows.ts'

/** Includes deleted rows; 0 if none. */
export async function lastId(db: DatabaseOrTransaction, table: TableName): Promise<number> {
  const query = isPostgres(db)
    ? sql<{ last: number | null }>`
        select pg_sequence_last_value(${sequence(table)}::regclass) as last`
    : sql<{ last: number | null }>`select seq as last from sqlite_sequence where name = ${table}`
  const { rows } = await query.execute(db)
  return rows[0]?.last ?? 0
}

/** The next id is `last` + 1. */
export async function setLastId(
  db: DatabaseOrTransaction,
  table: TableName,
  last: number,
): Promise<void> {
  if (last === 0) return
  if (isPostgres(db)) {
    await sql`select setval(${sequence(table)}, ${last})`.execute(db)
    return
  }
  await sql`delete from sqlite_sequence where name = ${table}`.execute(db)
  await sql`insert into sqlite_sequence (name, seq) values (${table}, ${last})`.execute(db)
}

/** The table's only generated column. */
function sequence(table: TableName) {
  return sql<string>`pg_get_serial_sequence(${table}, (
    select attname::text from pg_attribute
    where attrelid = ${table}::regclass and attidentity <> ''))`
}

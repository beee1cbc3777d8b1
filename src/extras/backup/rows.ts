import { sql } from 'kysely'
import { batchesOf } from '../../core/database/batches.ts'
import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { pendingDeletions } from '../../core/database/pending-deletion.ts'
import {
  type PendingImportCondition,
  pendingImportConditions,
} from '../../core/database/pending-import.ts'
import type { ModuleTable } from '../../core/module/module.ts'

/** `Schema` lacks the tables of external modules. */
export type TableName = string
export type Value = string | number | null

/** Values are ordered as `columns`. */
export interface Batch {
  readonly table: TableName
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Value[])[]
}

// SQLite allows 32,766 per statement, PostgreSQL 65,535. https://sqlite.org/limits.html
const maxParameters = 30_000

/** Keyset batches bound the memory. */
export async function* readRows(
  db: DatabaseOrTransaction,
  { name: table, key, present, blank = [], person }: ModuleTable,
): AsyncGenerator<Batch> {
  const keyColumns = sql.join(key.map((column) => sql.id(column)))
  const hidden = person?.inSteps ? await pendingDeletions(db) : null
  const copied = (row: Record<string, Value>, name: string) => {
    const value = row[name] ?? null
    return hidden && name === person?.column && hidden.has(Number(value)) ? null : value
  }
  const read = async (last: readonly Value[] | null, limit: number) => {
    const behind = last ? sql`(${keyColumns}) > (${sql.join(last)})` : sql`true`
    const { rows } = await sql<Record<string, Value>>`
      select * from ${sql.table(table)} where ${behind} and ${isPresent(present)} order by ${keyColumns} limit ${limit}
    `.execute(db)
    return rows
  }
  const keyOf = (row: Record<string, Value>) => key.map((column) => row[column] ?? null)
  for await (const rows of batchesOf({ from: null, read, placeOf: keyOf })) {
    const columns = Object.keys(rows[0] ?? {}).filter((name) => !blank.includes(name))
    yield { table, columns, rows: rows.map((row) => columns.map((name) => copied(row, name))) }
  }
}

export async function writeRows(
  db: DatabaseOrTransaction,
  { table, columns, rows }: Batch,
): Promise<void> {
  const names = sql.join(columns.map((column) => sql.id(column)))
  const maxRows = Math.floor(maxParameters / columns.length)
  for (let start = 0; start < rows.length; start += maxRows) {
    const values = rows.slice(start, start + maxRows).map((row) => sql`(${sql.join(row)})`)
    await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(db)
  }
}

export async function countRows(
  db: DatabaseOrTransaction,
  table: TableName,
  present?: PendingImportCondition,
): Promise<number> {
  const { rows } = await sql<{
    total: number
  }>`select count(*) as total from ${sql.table(table)} where ${isPresent(present)}`.execute(db)
  return rows[0]?.total ?? 0
}

function isPresent(condition: PendingImportCondition | undefined) {
  return condition ? pendingImportConditions[condition] : sql<boolean>`true`
}

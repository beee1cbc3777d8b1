import type { Batch, TableName, Value } from './rows.ts'
import type { Tables } from './tables.ts'

/** What a backup says of itself, in its first line. */
export interface BackupHeader {
  readonly format: 'gatehouse-backup'
  readonly version: 1
  readonly schema: number
  /** Schemas of rooms from outside; absent in a backup of before there were any. */
  readonly rooms?: Readonly<Record<string, number>>
  /** ISO 8601, UTC: all that was acknowledged by then is in it. */
  readonly created_at: string
  readonly counts: Readonly<Record<string, number>>
  readonly last_ids: Readonly<Record<string, number>>
  /** Kids of the configured keys that tokens were signed with. */
  readonly operator_keys: readonly string[]
  /** The key set under the passphrase. */
  readonly keys: { readonly salt: string; readonly sealed: string } | null
}

/** @throws Error where another version wrote it, or it names what no version has */
export function parseHeader(value: unknown): BackupHeader {
  const header = value as BackupHeader // its checksum says that `backup` has written it
  if (header.version !== 1) {
    throw new Error(`this is a backup of format ${header.version}: use a newer Gatehouse`)
  }
  return header
}

type Copied = Pick<Tables, 'copied'>

/** @throws Error for a table that this program does not copy */
function assertCopied(name: string, { copied }: Copied): void {
  if (copied.some((table) => table.name === name)) return
  throw new Error(`the backup has a table that this program does not know: ${name}`)
}

/** @throws Error for a table that this program does not copy */
export function byTable(
  numbers: Readonly<Record<string, number>>,
  tables: Copied,
): Map<TableName, number> {
  for (const name of Object.keys(numbers)) assertCopied(name, tables)
  return new Map(Object.entries(numbers))
}

/**
 * Batches as lines of JSON: `{"table":"users","columns":["id",...]}`, and then an array for each row.
 * @throws TypeError for a value that JSON would change
 */
export async function* toLines(batches: AsyncIterable<Batch>): AsyncGenerator<string> {
  let current: TableName | undefined
  for await (const { table, columns, rows } of batches) {
    const lines = rows.map((row) => `${JSON.stringify(row.map(portable))}\n`)
    if (table !== current) lines.unshift(`${JSON.stringify({ table, columns })}\n`)
    current = table
    yield lines.join('')
  }
}

function portable(value: Value): Value {
  if (value === null || typeof value === 'string' || Number.isSafeInteger(value)) return value
  throw new TypeError(`a value of type ${typeof value} cannot be in a backup: ${value}`)
}

const batchRows = 500

/** The opposite of `toLines`. @throws Error where a line is none of its */
export async function* fromLines(
  lines: AsyncIterable<string>,
  tables: Copied,
): AsyncGenerator<Batch> {
  let batch: { table: TableName; columns: string[]; rows: Value[][] } | undefined
  for await (const line of lines) {
    const read: unknown = JSON.parse(line)
    if (Array.isArray(read)) {
      if (!batch) throw new Error('the backup has a row without a table')
      if (read.length !== batch.columns.length) throw new Error('a row has not all its columns')
      batch.rows.push(read.map(portable))
      if (batch.rows.length < batchRows) continue
      yield batch
      batch = { ...batch, rows: [] }
    } else {
      if (batch && batch.rows.length > 0) yield batch
      const { table, columns } = read as { table: string; columns: string[] } // as `toLines` has it
      assertCopied(table, tables)
      batch = { table, columns, rows: [] }
    }
  }
  if (batch && batch.rows.length > 0) yield batch
}

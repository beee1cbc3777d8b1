import type { RowsOfTables } from '../../core/database/rows-of-tables.ts'
import type { ExportedKey } from '../../modules/keys/key-export.ts'
import type { SigningAlgorithm } from '../../modules/keys/settings.ts'
import type { Tables } from './copied-tables.ts'
import type { Batch, TableName, Value } from './rows.ts'

/** 1: the rows in the open, the key set encrypted. 2: all of it encrypted. */
export type FormatVersion = 1 | 2

/** What a backup says of itself. */
export interface Description {
  readonly schema: number
  /** Schema versions of external modules; absent in a backup of an older version. */
  readonly rooms?: Readonly<Record<string, number>>
  /** ISO 8601, UTC; the backup includes every change that was acknowledged before. */
  readonly created_at: string
  readonly counts: Readonly<Record<string, number>>
  readonly last_ids: Readonly<Record<string, number>>
  /** The rows of tables that the backup lacks, because its program had no module for them. */
  readonly left_out?: Readonly<Record<string, number>>
  /** The `kid` of each configured key that has signed tokens. */
  readonly operator_keys: readonly string[]
  /** What signed access tokens; absent in a backup of an older version. */
  readonly token_algorithm?: SigningAlgorithm
}

/** The first line of a backup in the open: of one without keys, or by a version before 0.8.0. */
export interface OpenHeader extends Description {
  readonly format: 'gatehouse-backup'
  readonly version: 1
  /** The key set, encrypted by the passphrase. */
  readonly keys: { readonly salt: string; readonly sealed: string } | null
}

/** The first line of an encrypted backup. */
export interface EncryptedHeader {
  readonly format: 'gatehouse-backup'
  readonly version: 2
  readonly salt: string
  /** A `SealedDescription`, encrypted by the passphrase. */
  readonly sealed: string
}

/** The description of an encrypted backup, with the key set. */
export interface SealedDescription extends Description {
  readonly keys: readonly ExportedKey[]
}

/** Parses a header. @throws Error if its format version is another */
export function parseHeader(value: unknown): OpenHeader | EncryptedHeader {
  const header = value as OpenHeader | EncryptedHeader // the checksum was verified
  const { version }: { version: number } = header
  if (version === 1 || version === 2) return header
  throw new Error(`this is a backup of format ${version}: use a newer Gatehouse`)
}

/** The rows of the tables that a backup lacks. */
export function leftOutOf({ left_out }: Description): RowsOfTables {
  return new Map(Object.entries(left_out ?? {})) // an unverified file may hold null
}

type Copied = Pick<Tables, 'copied'>

/** @throws Error for a table that this program does not copy */
function assertCopied(name: string, tables: Copied): void {
  if (isCopied(name, tables)) return
  throw new Error(`the backup has a table that this program does not know: ${name}`)
}

/**
 * A number for each table; an empty table of no module of this program has none.
 * @throws Error for a table with rows that this program does not copy
 */
export function byTable(
  numbers: Readonly<Record<string, number>>,
  { counts }: Pick<Description, 'counts'>,
  tables: Copied,
): Map<TableName, number> {
  const known = Object.entries(numbers).filter(
    ([name]) => counts[name] !== 0 || isCopied(name, tables),
  )
  for (const [name] of known) assertCopied(name, tables)
  return new Map(known)
}

function isCopied(name: string, { copied }: Copied): boolean {
  return copied.some((table) => table.name === name)
}

/**
 * Converts each batch to lines of JSON: `{"table":"users","columns":["id",...]}`, and then an array
 * for each row. @throws TypeError for a value that JSON would change
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

/** Parses the lines of `toLines`. @throws Error for any other line */
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

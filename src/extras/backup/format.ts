import type { RowsOfTables } from '../../core/database/rows-of-tables.ts'
import type { ExportedKey } from '../../modules/keys/key-export.ts'
import type { SigningAlgorithm } from '../../modules/keys/settings.ts'
import type { Tables } from './copied-tables.ts'
import type { Batch, TableName, Value } from './rows.ts'

/** 1: plain rows, encrypted key set. 2: all encrypted. */
export type FormatVersion = 1 | 2

export interface Description {
  readonly schema: number
  /** Of external modules; absent in older backups. */
  readonly rooms?: Readonly<Record<string, number>>
  /** ISO 8601, UTC; all changes acknowledged earlier are included. */
  readonly created_at: string
  readonly counts: Readonly<Record<string, number>>
  readonly last_ids: Readonly<Record<string, number>>
  /** Row counts of omitted tables without a module. */
  readonly left_out?: Readonly<Record<string, number>>
  /** The `kid` of each configured key that signed tokens. */
  readonly operator_keys: readonly string[]
  /** Of access tokens; absent in older backups. */
  readonly token_algorithm?: SigningAlgorithm
}

/** The first line of an unencrypted backup: without keys, or before 0.8.0. */
export interface OpenHeader extends Description {
  readonly format: 'gatehouse-backup'
  readonly version: 1
  /** Encrypted by the passphrase. */
  readonly keys: { readonly salt: string; readonly sealed: string } | null
}

/** The first line. */
export interface EncryptedHeader {
  readonly format: 'gatehouse-backup'
  readonly version: 2
  readonly salt: string
  /** An encrypted `SealedDescription`. */
  readonly sealed: string
}

/** With the key set. */
export interface SealedDescription extends Description {
  readonly keys: readonly ExportedKey[]
}

/** @throws Error for another format version */
export function parseHeader(value: unknown): OpenHeader | EncryptedHeader {
  const header = value as OpenHeader | EncryptedHeader // checksum verified
  const { version }: { version: number } = header
  if (version === 1 || version === 2) return header
  throw new Error(`this is a backup of format ${version}: use a newer Gatehouse`)
}

export function leftOutOf({ left_out }: Description): RowsOfTables {
  return new Map(Object.entries(left_out ?? {})) // null in an unverified file
}

type Copied = Pick<Tables, 'copied'>

/** @throws Error for a table not copied here */
function assertCopied(name: string, tables: Copied): void {
  if (isCopied(name, tables)) return
  throw new Error(`the backup has a table that this program does not know: ${name}`)
}

/** Omits empty tables without a module. @throws Error for a non-empty table not copied here */
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
 * JSON Lines: `{"table":"users","columns":["id",...]}`, then an array per row. @throws TypeError
 * for a value that JSON would change
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

/** @throws Error for invalid lines */
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
      const { table, columns } = read as { table: string; columns: string[] } // written by `toLines`
      assertCopied(table, tables)
      batch = { table, columns, rows: [] }
    }
  }
  if (batch && batch.rows.length > 0) yield batch
}

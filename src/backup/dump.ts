import type { DatabaseOrTransaction } from '../database/database.ts'
import { latestSchema, schemaVersion } from '../database/migrate.ts'
import { assertKnownRooms, roomVersions } from '../database/room-schemas.ts'
import { lastId } from './last-ids.ts'
import { type Batch, countRows, existingTables, readRows, type TableName } from './rows.ts'
import type { CopiedTable, Tables } from './tables.ts'

/** All that a database holds, in words that every database understands. */
export interface Dump {
  /** Whose tables and columns these are. */
  readonly schema: number
  /** The same of each room from outside. */
  readonly rooms: ReadonlyMap<string, number>
  /** Rows of each table. */
  readonly counts: ReadonlyMap<TableName, number>
  /** What was given out last, in the tables that give ids out. */
  readonly lastIds: ReadonlyMap<TableName, number>
  readonly batches: AsyncIterable<Batch>
}

export interface DumpOptions {
  readonly tables: Tables
  readonly except?: readonly TableName[]
  readonly onProgress?: OnProgress | undefined
}

/** Told of every batch: rows of this table done so far, and in all. */
export type OnProgress = (table: TableName, done: number, total: number) => void

/** Looks at a database that stands still: inside a snapshot, which must outlive the batches. */
export async function takeDump(
  snapshot: DatabaseOrTransaction,
  { tables: all, except = [], onProgress }: DumpOptions,
): Promise<Dump> {
  const existing = await existingTables(snapshot)
  if (!existing.has('schema_version')) throw new Error('there is nothing in the database yet')
  const schema = await schemaVersion(snapshot)
  const rooms = existing.has('room_schemas')
    ? await roomVersions(snapshot)
    : new Map<string, number>()
  assertKnown({ schema, rooms }, all)
  const tables = all.copied
    .filter(({ name }) => existing.has(name) && !except.includes(name))
    .map((table) => (existing.has('imports') ? table : { ...table, unlessStaged: undefined }))
  const counts = new Map<TableName, number>()
  const lastIds = new Map<TableName, number>()
  for (const { name, givesIds, unlessStaged } of tables) {
    counts.set(name, await countRows(snapshot, name, unlessStaged))
    if (givesIds) lastIds.set(name, await lastId(snapshot, name))
  }
  const batches = counted(readTables(snapshot, tables), counts, onProgress)
  return { schema, rooms, counts, lastIds, batches }
}

/** @throws Error for a schema whose tables this program may not all know */
export function assertKnown(
  { schema, rooms }: Pick<Dump, 'schema' | 'rooms'>,
  tables: Pick<Tables, 'rooms'>,
): void {
  if (schema > latestSchema) {
    throw new Error(
      `this has schema ${schema}, this program knows ${latestSchema}: use a newer Gatehouse`,
    )
  }
  assertKnownRooms(rooms, tables.rooms)
}

async function* readTables(
  snapshot: DatabaseOrTransaction,
  tables: readonly CopiedTable[],
): AsyncGenerator<Batch> {
  for (const table of tables) yield* readRows(snapshot, table)
}

/** Tells of what goes through. @throws Error behind the last batch, where a count was wrong */
export async function* counted(
  batches: AsyncIterable<Batch>,
  counts: ReadonlyMap<TableName, number>,
  onProgress?: OnProgress,
): AsyncGenerator<Batch> {
  const done = new Map<TableName, number>()
  for await (const batch of batches) {
    const { table, rows } = batch
    const sum = (done.get(table) ?? 0) + rows.length
    done.set(table, sum)
    yield batch
    onProgress?.(table, sum, counts.get(table) ?? 0)
  }
  for (const table of new Set([...counts.keys(), ...done.keys()])) {
    assertSameCount(table, counts.get(table), done.get(table) ?? 0)
  }
}

export function assertSameCount(
  table: TableName,
  expected: number | undefined,
  found: number,
): void {
  if (found === expected) return
  throw new Error(`${table}: ${found} rows where ${expected ?? 'none'} were expected`)
}

/** The same rows without what only the data key opens. */
export async function* withoutSealed(
  batches: AsyncIterable<Batch>,
  { copied }: Pick<Tables, 'copied'>,
): AsyncGenerator<Batch> {
  const sealedColumns = new Map(copied.map(({ name, sealed = [] }) => [name, new Set(sealed)]))
  for await (const batch of batches) {
    const { columns, rows, table } = batch
    const sealed = sealedColumns.get(table)
    const hasSealed = columns.some((column) => sealed?.has(column))
    yield hasSealed ? { ...batch, rows: rows.map(opened) } : batch

    function opened(row: Batch['rows'][number]) {
      return row.map((value, index) => (sealed?.has(columns[index] ?? '') ? null : value))
    }
  }
}

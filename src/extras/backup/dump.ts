import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { latestSchema, schemaVersion } from '../../core/database/migrate.ts'
import { assertKnownModules } from '../../core/database/module-schemas.ts'
import type { RowsOfTables } from '../../core/database/rows-of-tables.ts'
import { existingTables, unownedTables, versionsInUse } from '../../core/database/unowned-tables.ts'
import type { ModuleTable } from '../../core/module/module.ts'
import type { Tables } from './copied-tables.ts'
import { lastId } from './last-ids.ts'
import { type Batch, countRows, readRows, type TableName } from './rows.ts'

/** Portable between database kinds. */
export interface Dump {
  readonly schema: number
  /** By external module. */
  readonly modules: ReadonlyMap<string, number>
  readonly counts: ReadonlyMap<TableName, number>
  /** The last generated id per table. */
  readonly lastIds: ReadonlyMap<TableName, number>
  readonly batches: AsyncIterable<Batch>
}

export interface TakenDump extends Dump {
  /** Omitted rows of tables without a module. */
  readonly unowned: RowsOfTables
}

export interface DumpOptions {
  readonly tables: Tables
  readonly except?: readonly TableName[]
  readonly onProgress?: OnProgress | undefined
}

/** Called per batch with finished and total rows of its table. */
export type OnProgress = (table: TableName, done: number, total: number) => void

/** The snapshot must stay open until the last batch is read. */
export async function takeDump(
  snapshot: DatabaseOrTransaction,
  { tables: all, except = [], onProgress }: DumpOptions,
): Promise<TakenDump> {
  const existing = await existingTables(snapshot)
  if (!existing.has('schema_version')) throw new Error('there is nothing in the database yet')
  const schema = await schemaVersion(snapshot)
  const modules = existing.has('room_schemas')
    ? await versionsInUse(snapshot, all.modules)
    : new Map<string, number>()
  assertKnown({ schema, modules }, all)
  const tables = all.copied
    .filter(({ name }) => existing.has(name) && !except.includes(name))
    .map((table) => (existing.has('imports') ? table : { ...table, present: undefined }))
    .map((table) => (existing.has('leaving_users') ? table : withoutPerson(table)))
  const counts = new Map<TableName, number>()
  const lastIds = new Map<TableName, number>()
  for (const { name, givesIds, present } of tables) {
    counts.set(name, await countRows(snapshot, name, present))
    if (givesIds) lastIds.set(name, await lastId(snapshot, name))
  }
  const unowned = await unownedTables(snapshot, all.modules)
  const batches = counted(readTables(snapshot, tables), counts, onProgress)
  return { schema, modules, counts, lastIds, unowned, batches }
}

/** In an old schema, no user is hidden. */
function withoutPerson({ person, ...table }: ModuleTable): ModuleTable {
  return table
}

/** @throws Error for a newer schema, which may have unknown tables */
export function assertKnown(
  { schema, modules }: Pick<Dump, 'schema' | 'modules'>,
  tables: Pick<Tables, 'modules'>,
): void {
  if (schema > latestSchema) {
    throw new Error(
      `this has schema ${schema}, this program knows ${latestSchema}: use a newer Gatehouse`,
    )
  }
  assertKnownModules(modules, tables.modules)
}

async function* readTables(
  snapshot: DatabaseOrTransaction,
  tables: readonly ModuleTable[],
): AsyncGenerator<Batch> {
  for (const table of tables) yield* readRows(snapshot, table)
}

/** @throws Error after the last batch if a count differs */
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

/** Nulls the columns encrypted under the data key. */
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

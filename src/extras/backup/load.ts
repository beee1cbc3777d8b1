import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { latestSchema, migrateTo } from '../../core/database/migrate.ts'
import { migrateModules } from '../../core/database/module-schemas.ts'
import { assertServer } from '../../core/database/postgres/server.ts'
import { lockName, takeExclusiveLocks } from '../../core/database/transactions.ts'
import { existingTables } from '../../core/database/unowned-tables.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { Tables } from './copied-tables.ts'
import { assertKnown, assertSameCount, counted, type Dump, type OnProgress } from './dump.ts'
import { setLastId } from './last-ids.ts'
import { leftBehindOf } from './left-behind.ts'
import { countRows, type TableName, writeRows } from './rows.ts'

export interface LoadOptions {
  readonly clock: Clock
  readonly tables: Tables
  /**
   * Only if nothing changed since the dump. Otherwise omits sessions and skips ids possibly used
   * since.
   */
  readonly keepLogins: boolean
  /** Omits the key set and tables that need it. */
  readonly withoutKeys?: boolean
  readonly onProgress?: OnProgress | undefined
}

// More ids than are used between backup and data loss.
const idGap = 1_000_000

/**
 * In one transaction: creates the dump's schema in an empty database, inserts rows, runs newer
 * migrations. Returns row counts. @throws Error for an unsuitable server, unknown schema, non-empty
 * database or wrong row count
 */
export async function loadDump(
  trx: DatabaseOrTransaction,
  dump: Dump,
  { clock, tables, keepLogins, withoutKeys = false, onProgress }: LoadOptions,
): Promise<Map<TableName, number>> {
  assertKnown(dump, tables)
  await assertServer(trx)
  await takeExclusiveLocks(trx, lockName.schema)
  await assertEmpty(trx, tables)
  await migrateTo(trx, clock, dump.schema)
  if (dump.modules.size > 0) await migrateModules(trx, clock, tables.modules, dump.modules)

  const logins = new Set(tables.copied.flatMap(({ name, isLogin }) => (isLogin ? [name] : [])))
  const needingKeys: ReadonlySet<string> = new Set(tables.needingKeys)
  const isLeftOut = (table: TableName) =>
    (!keepLogins && logins.has(table)) || (withoutKeys && needingKeys.has(table))
  const leftBehind = leftBehindOf(tables.copied)
  for await (const batch of counted(dump.batches, dump.counts, onProgress)) {
    if (isLeftOut(batch.table)) leftBehind.see(batch)
    else await writeRows(trx, batch)
  }
  for (const [table, last] of dump.lastIds) {
    await setLastId(trx, table, keepLogins ? last : last + idGap)
  }

  const loaded = new Map<TableName, number>()
  for (const [table, count] of dump.counts) {
    const found = await countRows(trx, table)
    assertSameCount(table, isLeftOut(table) ? 0 : count, found)
    loaded.set(table, found)
  }
  await migrateTo(trx, clock, latestSchema)
  await migrateModules(trx, clock, tables.modules)
  await leftBehind.note(trx, clock.now())
  return loaded
}

async function assertEmpty(trx: DatabaseOrTransaction, { copied, leftOut }: Tables): Promise<void> {
  const existing = await existingTables(trx)
  const ours = [...copied.map(({ name }) => name), ...leftOut.keys()]
  const found = ours.find((name) => existing.has(name))
  if (found) throw new Error(`the database is not empty: it has a table ${found}`)
}

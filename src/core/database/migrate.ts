import { sql } from 'kysely'
import { gatehouse } from '../hints/command-line.ts'
import type { Clock } from '../lib/clock.ts'
import { migrations, versionTable } from './all-migrations.ts'
import { type Database, type DatabaseOrTransaction, execute } from './database.ts'
import { assertMayRun, assertWorksWith, firstKnownKind, type Unknown } from './migration-kinds.ts'
import { statementsFor } from './migrations/statement.ts'
import {
  assertKnownModules,
  dueModules,
  type ModuleSchema,
  migrateModules,
  moduleVersions,
} from './module-schemas.ts'
import { assertServer } from './postgres/server.ts'
import { disableTimeouts } from './snapshot.ts'
import { isPostgres, lockName, takeExclusiveLocks, transact } from './transactions.ts'
import {
  abandon,
  abandonable,
  assertNoneUnowned,
  unownedTables,
  versionsInUse,
} from './unowned-tables.ts'

export const latestSchema = migrations.length

/** In any version. */
export async function hasSchema(db: Database): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from pg_tables
    where schemaname = current_schema() and tablename = 'schema_version'`.execute(db)
  return rows.some(({ found }) => found > 0)
}

export interface MigrateOptions {
  readonly mayChange?: boolean
  /** Allows migrations that remove data of the previous version, because none of its nodes runs. */
  readonly mayContract?: boolean
  /** Without modules, no table has an owner. */
  readonly modules?: readonly ModuleSchema[]
  /** Unowned tables and modules to drop. */
  readonly abandoned?: readonly string[]
}

/**
 * Migrates in one transaction, so that a kill keeps the old schema and concurrent starts migrate
 * once. Returns the number of migrations, without modules'. @throws Error if the database is newer,
 * or older without `mayChange`; as `assertServer`, `assertKnownModules`, `migrateModules`,
 * `assertNoneUnowned`
 */
export async function migrate(
  db: Database,
  clock: Clock,
  { mayChange = true, mayContract = false, modules, abandoned = [] }: MigrateOptions = {},
): Promise<number> {
  await assertServer(db)
  return transact(db, [], async (trx) => {
    await disableTimeouts(trx)
    if (!mayChange) await assertLatest(trx, modules ?? [])
    const ran = await migrateTo(trx, clock, latestSchema, { mayContract })
    if (abandoned.length > 0) {
      const given = await abandonable(trx, modules ?? [], abandoned)
      if (given.dropped.size > 0 && !mayContract) await assertMayDrop(trx, clock, abandoned)
      await abandon(trx, given)
    }
    const versions = await versionsInUse(trx, modules ?? [])
    assertKnownModules(versions, modules ?? [], { mayBeNewer: true }) // module migrations only add
    await migrateModules(trx, clock, modules ?? [])
    if (modules) assertNoneUnowned(await unownedTables(trx, modules))
    return ran
  })
}

/** @throws Error if a connected node may use the tables */
async function assertMayDrop(
  trx: DatabaseOrTransaction,
  clock: Clock,
  names: readonly string[],
): Promise<void> {
  if (!isPostgres(trx)) return
  const { otherNodes } = await import('./postgres/other-nodes.ts')
  const places = await otherNodes(trx, clock)
  if (places === null) return
  throw new Error(
    `other nodes are connected to the database, from ${places}, and may use the tables: ` +
      `stop them; if none has the module, \`${gatehouse} migrate --abandon ${names.join()} --contract\``,
  )
}

export async function migrateTo(
  trx: DatabaseOrTransaction,
  clock: Clock,
  wanted: number,
  { mayContract = true } = {},
): Promise<number> {
  const database = isPostgres(trx) ? 'postgres' : 'sqlite'
  await takeExclusiveLocks(trx, lockName.schema)
  for (const statement of statementsFor(database, [versionTable])) await execute(trx, statement)
  const version = await schemaVersion(trx)
  if (version > latestSchema) assertWorksWith(await newerSteps(trx), latestSchema)
  const due = migrations
    .slice(version, wanted)
    .map((step, index) => ({ ...step, version: version + index + 1 }))
  await assertMayRun(due, {
    ...{ from: version, mayBeShared: database === 'postgres', mayContract },
    otherNodes: async () => (await import('./postgres/other-nodes.ts')).otherNodes(trx, clock),
  })
  for (const { statements, kind, version: number } of due) {
    for (const statement of statementsFor(database, statements)) await execute(trx, statement)
    const told = number >= firstKnownKind ? { kind } : {}
    const row = { version: number, applied_at: clock.now(), ...told }
    await trx.insertInto('schema_version').values(row).execute()
  }
  return due.length
}

async function newerSteps(db: DatabaseOrTransaction): Promise<Unknown[]> {
  const rows = await db.selectFrom('schema_version').select('version').execute()
  const newer = rows.filter(({ version }) => version > latestSchema)
  // The column came with this migration.
  const tells = rows.some(({ version }) => version === firstKnownKind)
  if (!tells) return newer.map(({ version }) => ({ version, kind: null }))
  return db
    .selectFrom('schema_version')
    .select(['version', 'kind'])
    .where('version', '>', latestSchema)
    .execute()
}

/** @throws Error if the schema is outdated */
async function assertLatest(
  db: DatabaseOrTransaction,
  modules: readonly ModuleSchema[],
): Promise<void> {
  const version = await schemaVersion(db)
  const advice = `stop what still works on it, and run \`${gatehouse} migrate\``
  if (version < latestSchema) {
    throw new Error(
      `the database has schema ${version}, this program works with ${latestSchema}: ${advice}`,
    )
  }
  const [due] = version === latestSchema ? dueModules(await moduleVersions(db), modules) : []
  if (due) throw new Error(`the database lacks migrations of the module ${due[0]}: ${advice}`)
}

/** The database must have a schema. */
export async function schemaVersion(db: DatabaseOrTransaction): Promise<number> {
  const { version } = await db
    .selectFrom('schema_version')
    .select(sql<number>`coalesce(max(version), 0)`.as('version'))
    .executeTakeFirstOrThrow()
  return version
}

import { sql } from 'kysely'
import { gatehouse } from '../hints/command-line.ts'
import type { Clock } from '../lib/clock.ts'
import { type Database, type DatabaseOrTransaction, execute } from './database.ts'
import {
  assertMayRun,
  assertWorksWith,
  contract,
  expand,
  firstKnownKind,
  type Step,
  type Unknown,
} from './migration-kinds.ts'
import * as foundation from './migrations/0001-foundation.ts'
import * as loginLimits from './migrations/0002-login-limits.ts'
import * as revocations from './migrations/0003-revocations.ts'
import * as secondFactor from './migrations/0004-second-factor.ts'
import * as idempotency from './migrations/0005-idempotency.ts'
import * as posts from './migrations/0006-posts.ts'
import * as administration from './migrations/0007-administration.ts'
import * as imports from './migrations/0008-imports.ts'
import * as identities from './migrations/0009-identities.ts'
import * as growth from './migrations/0010-growth.ts'
import * as logins from './migrations/0011-logins.ts'
import * as search from './migrations/0012-search.ts'
import * as hashKinds from './migrations/0013-hash-kinds.ts'
import * as subjects from './migrations/0014-subjects.ts'
import * as sessionAmr from './migrations/0015-session-amr.ts'
import * as moduleSchemas from './migrations/0016-room-schemas.ts'
import * as keyUsage from './migrations/0017-key-usage.ts'
import * as notifiedBySessions from './migrations/0018-notified-by-sessions.ts'
import * as deepPages from './migrations/0019-deep-pages.ts'
import * as audit from './migrations/0020-audit.ts'
import * as refusals from './migrations/0021-refusals.ts'
import * as people from './migrations/0022-people.ts'
import * as forwardAuth from './migrations/0023-forward-auth.ts'
import * as operations from './migrations/0024-operations.ts'
import * as statistics from './migrations/0025-statistics.ts'
import * as accountLists from './migrations/0026-account-lists.ts'
import * as verifications from './migrations/0027-verifications.ts'
import * as sessionAuthTime from './migrations/0028-session-auth-time.ts'
import * as accountDeletions from './migrations/0029-account-deletions.ts'
import * as addedSince from './migrations/0030-added-since.ts'
import * as throttleCounts from './migrations/0034-throttle-counts.ts'
import * as provenErasures from './migrations/0035-proven-erasures.ts'
import * as codesOfFlows from './migrations/0037-codes-of-flows.ts'
import { statementsFor } from './migrations/statement.ts'
import { dueModules, type ModuleSchema, migrateModules, moduleVersions } from './module-schemas.ts'
import { assertServer } from './postgres/server.ts'
import { disableTimeouts } from './snapshot.ts'
import { isPostgres, lockName, takeExclusiveLocks, transact } from './transactions.ts'

/**
 * All migrations in order, append only: a migration that was released is never edited. Each says whether it
 * only adds: see `MigrationKind`.
 */
const migrations: readonly Step[] = [
  expand(foundation.statements),
  expand(loginLimits.statements),
  expand(revocations.statements),
  expand(secondFactor.statements),
  expand(idempotency.statements),
  expand(posts.statements),
  expand(administration.statements),
  expand(imports.statements),
  expand(identities.statements),
  expand(growth.statements),
  expand(logins.statements),
  expand(search.statements),
  expand(hashKinds.statements),
  contract(subjects.statements),
  expand(sessionAmr.statements),
  expand(moduleSchemas.statements),
  expand(keyUsage.statements),
  expand(notifiedBySessions.statements),
  expand(deepPages.statements),
  expand(audit.statements),
  expand(refusals.statements),
  expand(people.statements),
  expand(forwardAuth.statements),
  expand(operations.statements),
  expand(statistics.statements),
  expand(accountLists.statements),
  expand(verifications.statements),
  expand(sessionAuthTime.statements),
  expand(accountDeletions.statements),
  expand(addedSince.statements),
  expand(throttleCounts.statements),
  expand(provenErasures.statements),
  expand(codesOfFlows.statements),
]

/** The version of the schema that this program works with. */
export const latestSchema = migrations.length

const versionTable =
  'create table if not exists schema_version (version integer primary key, applied_at integer not null) strict'

/** The statements that create the schema in an empty database, without the schemas of modules. */
export function schemaStatements(database: 'sqlite' | 'postgres'): string[] {
  return [[versionTable], ...migrations.map(({ statements }) => statements)].flatMap((statements) =>
    statementsFor(database, statements),
  )
}

/** Whether a PostgreSQL database has a schema of this service, of any version. */
export async function hasSchema(db: Database): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from pg_tables
    where schemaname = current_schema() and tablename = 'schema_version'`.execute(db)
  return rows.some(({ found }) => found > 0)
}

export interface MigrateOptions {
  readonly mayChange?: boolean
  /** Whether migrations may run that take away what the version before reads: no node of it runs. */
  readonly mayContract?: boolean
  /** All modules; external ones have migrations of their own. */
  readonly modules?: readonly ModuleSchema[]
}

/**
 * Migrates the schema in one transaction, so that a killed process leaves the old schema, and two
 * processes that start together migrate once. Answers how many migrations ran, without those of
 * modules. @throws Error if the database is newer than this program, or older and `mayChange` is
 * false, and as `assertServer` and `migrateModules`
 */
export async function migrate(
  db: Database,
  clock: Clock,
  { mayChange = true, mayContract = false, modules = [] }: MigrateOptions = {},
): Promise<number> {
  await assertServer(db)
  return transact(db, [], async (trx) => {
    await disableTimeouts(trx)
    if (!mayChange) await assertLatest(trx, modules)
    const ran = await migrateTo(trx, clock, latestSchema, { mayContract })
    await migrateModules(trx, clock, modules)
    return ran
  })
}

/** Migrates inside a given transaction, up to the version `wanted`. */
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

/** The migrations that this program does not know. */
async function newerSteps(db: DatabaseOrTransaction): Promise<Unknown[]> {
  const rows = await db.selectFrom('schema_version').select('version').execute()
  const newer = rows.filter(({ version }) => version > latestSchema)
  // The column came with the first migration that tells.
  const tells = rows.some(({ version }) => version === firstKnownKind)
  if (!tells) return newer.map(({ version }) => ({ version, kind: null }))
  return db
    .selectFrom('schema_version')
    .select(['version', 'kind'])
    .where('version', '>', latestSchema)
    .execute()
}

/** @throws Error if the schema is older than this program's */
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

/** Reads the schema version of a database that was migrated before. */
export async function schemaVersion(db: DatabaseOrTransaction): Promise<number> {
  const { version } = await db
    .selectFrom('schema_version')
    .select(sql<number>`coalesce(max(version), 0)`.as('version'))
    .executeTakeFirstOrThrow()
  return version
}

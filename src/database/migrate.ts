import { sql } from 'kysely'
import type { Clock } from '../kernel/clock.ts'
import { type Database, type DatabaseOrTransaction, execute } from './database.ts'
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
import * as roomSchemas from './migrations/0016-room-schemas.ts'
import { type Migration, statementsFor } from './migrations/statement.ts'
import { assertServer } from './postgres/server.ts'
import { dueRooms, migrateRooms, type RoomSchema, roomVersions } from './room-schemas.ts'
import { disableTimeouts } from './snapshot.ts'
import { isPostgres, lockName, takeExclusiveLocks, transact } from './transactions.ts'

/** In order, append only: a migration that has run anywhere is never edited. */
const migrations: readonly Migration[] = [
  foundation.statements,
  loginLimits.statements,
  revocations.statements,
  secondFactor.statements,
  idempotency.statements,
  posts.statements,
  administration.statements,
  imports.statements,
  identities.statements,
  growth.statements,
  logins.statements,
  search.statements,
  hashKinds.statements,
  subjects.statements,
  sessionAmr.statements,
  roomSchemas.statements,
]

/** The version of the schema that this program works with. */
export const latestSchema = migrations.length

const versionTable =
  'create table if not exists schema_version (version integer primary key, applied_at integer not null) strict'

/** Whether a PostgreSQL database has any schema of ours, however old. */
export async function hasSchema(db: Database): Promise<boolean> {
  const { rows } = await sql<{ found: number }>`
    select count(*) as found from pg_tables
    where schemaname = current_schema() and tablename = 'schema_version'`.execute(db)
  return rows.some(({ found }) => found > 0)
}

export interface MigrateOptions {
  readonly mayChange?: boolean
  /** Those from outside have migrations of their own. */
  readonly rooms?: readonly RoomSchema[]
}

/**
 * Brings the schema up to date in one transaction, so that a kill in the middle leaves the old one
 * and two processes that start at once apply it once. Answers how many migrations ran, those of rooms
 * apart.
 * @throws Error where the database is newer than this program, or older and `mayChange` is false, and
 * as `assertServer` and `migrateRooms`
 */
export async function migrate(
  db: Database,
  clock: Clock,
  { mayChange = true, rooms = [] }: MigrateOptions = {},
): Promise<number> {
  await assertServer(db)
  return transact(db, [], async (trx) => {
    await disableTimeouts(trx)
    if (!mayChange) await assertLatest(trx, rooms)
    const ran = await migrateTo(trx, clock, latestSchema)
    await migrateRooms(trx, clock, rooms)
    return ran
  })
}

/** As `migrate`, inside a transaction, and no further than to `wanted`. */
export async function migrateTo(
  trx: DatabaseOrTransaction,
  clock: Clock,
  wanted: number,
): Promise<number> {
  const database = isPostgres(trx) ? 'postgres' : 'sqlite'
  await takeExclusiveLocks(trx, lockName.schema)
  for (const statement of statementsFor(database, [versionTable])) await execute(trx, statement)
  const version = await schemaVersion(trx)
  if (version > latestSchema) {
    throw new Error(
      `the database has schema ${version}, this program knows ${latestSchema}: start a newer Gatehouse`,
    )
  }
  const due = migrations.slice(version, wanted)
  for (const [index, migration] of due.entries()) {
    for (const statement of statementsFor(database, migration)) await execute(trx, statement)
    await trx
      .insertInto('schema_version')
      .values({ version: version + index + 1, applied_at: clock.now() })
      .execute()
  }
  return due.length
}

/** @throws Error where the schema is an older one */
async function assertLatest(
  db: DatabaseOrTransaction,
  rooms: readonly RoomSchema[],
): Promise<void> {
  const version = await schemaVersion(db)
  const advice = 'stop what still works on it, and run `gatehouse migrate`'
  if (version < latestSchema) {
    throw new Error(
      `the database has schema ${version}, this program works with ${latestSchema}: ${advice}`,
    )
  }
  const [due] = version === latestSchema ? dueRooms(await roomVersions(db), rooms) : []
  if (due) throw new Error(`the database lacks migrations of the room ${due[0]}: ${advice}`)
}

/** The version of a database that has been migrated at least once. */
export async function schemaVersion(db: DatabaseOrTransaction): Promise<number> {
  const { version } = await db
    .selectFrom('schema_version')
    .select(sql<number>`coalesce(max(version), 0)`.as('version'))
    .executeTakeFirstOrThrow()
  return version
}

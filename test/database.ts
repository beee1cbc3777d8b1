import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { connect } from '../src/core/database/connect.ts'
import { type ChangeFeed, type Connected, execute } from '../src/core/database/database.ts'
import { migrate } from '../src/core/database/migrate.ts'
import {
  type PostgresAddress,
  parsePostgresAddress,
} from '../src/core/database/postgres/address.ts'
import { channel } from '../src/core/database/postgres/notification.ts'
import { databaseFileName } from '../src/core/database/sqlite/connect.ts'
import type { TestApp } from './app.ts'
import { masterKey } from './master-key.ts'
import { startPostgres } from './postgres.ts'
import { until } from './until.ts'

/**
 * The database of the tests: PostgreSQL if `TEST_DATABASE=postgres`, otherwise SQLite. The tests
 * start a PostgreSQL server of their own unless `TEST_DATABASE_URL` names one, whose user must be
 * allowed to create databases.
 */
export const testDatabase = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'

/** Options of tests of the SQLite file itself. */
export const sqliteOnly = testDatabase === 'sqlite' ? test : absent
/** Options of tests of several machines, which SQLite does not support. */
export const postgresOnly = testDatabase === 'postgres' ? test : absent

function absent(_name: string, _work: (context: TestContext) => Promise<void> | void): void {}

/**
 * The settings of a service on the database of a folder, which two services with the same folder
 * share. `isEmpty`: without any table.
 */
export async function databaseSettings(
  directory: string,
  { isEmpty = false } = {},
): Promise<Record<string, string>> {
  if (testDatabase === 'sqlite') return { DATA_DIR: directory }
  const made = databases.get(directory) ?? takeDatabase(isEmpty)
  databases.set(directory, made)
  return {
    DATA_DIR: directory,
    DATABASE_URL: (await server()).url(await made),
    MASTER_KEY: masterKey,
    DATABASE_TIMEOUT_MS: '30000', // the machine may be busy
  }
}

/**
 * Copies a SQLite file with the schema to a folder without one, which is faster than to migrate it.
 */
export async function placeSqliteFile(directory: string): Promise<void> {
  if (testDatabase !== 'sqlite') return
  const path = join(directory, databaseFileName)
  if (existsSync(path)) return
  sqliteFile ??= makeSqliteFile()
  writeFileSync(path, await sqliteFile, { mode: 0o600 })
}

let sqliteFile: Promise<Buffer> | undefined

async function makeSqliteFile(): Promise<Buffer> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-template-'))
  const { db } = connect({ dataDirectory: directory, timeoutMs: 10_000, synchronous: 'off' })
  await migrate(db, { now: () => 0, wait: async () => {} })
  await db.destroy()
  const made = readFileSync(join(directory, databaseFileName))
  rmSync(directory, { recursive: true })
  return made
}

/** A timeout for PostgreSQL: on a busy machine, a connection takes longer than the default. */
export function timeoutFor(given: string | undefined): Record<string, string> {
  if (given === undefined || testDatabase === 'sqlite') return {}
  return { DATABASE_TIMEOUT_MS: String(Math.max(Number(given), minTimeoutMs)) }
}

const minTimeoutMs = 2000

export interface TestConnection {
  readonly directory?: string
  readonly timeoutMs?: number
  readonly isEmpty?: boolean
}

export interface TestConnected extends Connected {
  readonly directory: string
  /** Of PostgreSQL. */
  readonly address: PostgresAddress | undefined
}

/** Services of tests are younger than a lease, which would make each end wait. */
export const nodes = { unheardMs: 0 }

/** Opens another connection to the database of a folder, as another process does. */
export async function connectTo({
  directory = mkdtempSync(join(tmpdir(), 'gatehouse-')),
  timeoutMs = testDatabase === 'sqlite' ? 2000 : 30_000, // as for services: the machine may be busy
  isEmpty = false,
}: TestConnection = {}): Promise<TestConnected> {
  const { DATABASE_URL } = await databaseSettings(directory, { isEmpty })
  const postgres = DATABASE_URL === undefined ? undefined : addressOf(DATABASE_URL)
  return {
    directory,
    address: postgres,
    ...connect({ dataDirectory: directory, timeoutMs, synchronous: 'off', postgres, nodes }),
  }
}

/** Counts a further service on the database of a folder. */
export function enterDatabase(directory: string): void {
  usersOf.set(directory, (usersOf.get(directory) ?? 0) + 1)
}

/**
 * Counts a service less. After the last one the database is given to another folder; answers
 * whether this was the last.
 */
export async function leaveDatabase(directory: string): Promise<boolean> {
  const users = (usersOf.get(directory) ?? 1) - 1
  usersOf.set(directory, users)
  if (users > 0) return false
  const name = await databases.get(directory)
  databases.delete(directory)
  if (name !== undefined) await cancel(name).catch(() => {}) // the server may have ended first
  return true
}

/** A change feed that notices nothing and never says that it is current. */
export const deafFeed: ChangeFeed = {
  isCurrent: () => false,
  version: () => 0,
  anyVersion: () => Math.random(),
  together: (work) => work(),
}

/**
 * Resolves when a service has noticed all commits of others so far: in a turn of the event loop on
 * SQLite, with the next look of its lease on PostgreSQL.
 */
export async function heard({ deps: { db, feed } }: Pick<TestApp, 'deps'>): Promise<void> {
  if (testDatabase === 'sqlite') return void (await setImmediate()) // read once per turn
  const before = feed.version()
  await sql`insert into node_changes (subject) values ('heard')`.execute(db)
  await sql`select pg_notify(${channel}, '')`.execute(db)
  await until(() => feed.isCurrent() && feed.version() !== before)
}

/**
 * Holds the write lock of a service's database, as another process would. On PostgreSQL the release
 * waits until no statement waits for the lock: a caller that has given up at its time limit leaves
 * a statement at the server, which waits for as long and could still be executed.
 */
export async function databaseLock({ directory }: Pick<TestApp, 'directory'>): Promise<{
  hold(): Promise<void>
  release(): Promise<void>
}> {
  if (testDatabase === 'sqlite') {
    const other = new DatabaseSync(join(directory, databaseFileName))
    return { hold: async () => other.exec('begin immediate'), release: async () => other.close() }
  }
  const other = new pg.Client(clientOf((await databaseSettings(directory)).DATABASE_URL ?? ''))
  await other.connect()
  const { rows } = await other.query<{ names: string }>(
    `select string_agg(table_name, ', ') as names from information_schema.tables
      where table_schema = 'public' and table_type = 'BASE TABLE'
        and table_name not in ('nodes', 'node_changes')`,
  )
  return {
    hold: async () =>
      void (await other.query(`begin; lock table ${rows[0]?.names} in exclusive mode`)),
    async release() {
      await until(async () => (await other.query(waiting)).rowCount === 0)
      await other.end()
    },
  }
}

/** The connections to this database that wait for any lock. */
const waiting = `
  select from pg_locks where not granted and pid in (
    select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database())`

/**
 * Makes the database refuse changes such as `update on accounts`; answers a function that ends it.
 */
export async function refuseChanges(
  { deps: { db } }: Pick<TestApp, 'deps'>,
  change: string,
): Promise<() => Promise<void>> {
  const [table = ''] = change.split(' ').slice(-1)
  if (testDatabase === 'sqlite') {
    await execute(
      db,
      `create trigger refuse before ${change} begin select raise(abort, 'refused'); end`,
    )
    return () => execute(db, 'drop trigger refuse')
  }
  await execute(
    db,
    `create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'refused'; end $$`,
  )
  await execute(db, `create trigger refuse before ${change} for each row execute function refuse()`)
  return async () => {
    await execute(db, `drop trigger refuse on ${table}`)
    await execute(db, 'drop function refuse')
  }
}

/** The error of the database for a missing table. */
export function noSuchTable(name: string): string {
  return testDatabase === 'sqlite' ? `no such table: ${name}` : `relation "${name}" does not exist`
}

const databases = new Map<string, Promise<string>>()
const usersOf = new Map<string, number>()
let made = 0

/** Takes a database that another test has left, if any: to create one takes ten times as long. */
async function takeDatabase(isEmpty: boolean): Promise<string> {
  const { admin, template } = await server()
  if (!isEmpty) {
    const { rows } = await admin.query<{ name: string }>(
      `delete from free_databases where name =
        (select name from free_databases for update skip locked limit 1) returning name`,
    )
    if (rows[0]) return rows[0].name
  }
  made += 1
  const name = `gatehouse_test_${process.pid}_${made}`
  const from = isEmpty ? 'template0' : template
  await createDatabase(admin, name, from)
  return name
}

const tables = `select coalesce(string_agg(name, ' ' order by name), '') as names from (
  select relname as name from pg_class where relnamespace = 'public'::regnamespace
  union all select tgname from pg_trigger where not tgisinternal
  union all select 'schema ' || coalesce(max(version), 0) from schema_version) as things`

/**
 * Creates a database by copying files, which is faster for a small one and the only way before 15.
 */
async function createDatabase(admin: pg.Pool, name: string, template: string): Promise<void> {
  const { rows } = await admin.query<{ server_version_num: string }>('show server_version_num')
  const how = Number(rows[0]?.server_version_num) < 150_000 ? '' : 'strategy file_copy'
  await admin.query(`create database ${name} template ${template} ${how}`)
}

// Without triggers and foreign keys. A large table is truncated, because it would stay large after
// a delete; most tables were never written to and are skipped.
const emptied = `
  select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid();
  set session_replication_role = replica;
  do $$ declare thing record; begin
    for thing in select relname, relkind from pg_class
      where relnamespace = 'public'::regnamespace
        and (relkind = 'S' and pg_sequence_last_value(oid) is not null
          or relkind = 'r' and relname not in ('schema_version', 'row_count_slots')
            and pg_relation_size(oid) > 0)
    loop
      if thing.relkind = 'S' then perform setval(thing.relname::regclass, 1, false);
      elsif pg_relation_size(thing.relname::regclass) > 100000 then
        execute format('truncate %I cascade', thing.relname);
      else execute format('delete from %I', thing.relname);
      end if;
    end loop;
    delete from row_count_slots where slot <> 0;
    update row_count_slots set total = 0;
  end $$`

/** Empties a database for the next test; drops it if its tables have changed. */
async function cancel(name: string): Promise<void> {
  const { admin, url, shape } = await server()
  const client = new pg.Client(clientOf(url(name)))
  await client.connect()
  const { rows } = await client.query<{ names: string }>(tables)
  const isIntact = rows[0]?.names === shape
  if (isIntact) await client.query(emptied)
  await client.end()
  if (isIntact) await admin.query('insert into free_databases values ($1)', [name])
  else await admin.query(`drop database if exists ${name} with (force)`)
}

interface Server {
  readonly admin: pg.Pool
  readonly template: string
  /** The names of all tables and other objects of a test database. */
  readonly shape: string
  url(database: string): string
}

let starting: Promise<Server> | undefined

function server(): Promise<Server> {
  starting ??= start()
  return starting
}

const templateLock = 7_340_021

/** Creates the template, unless another process of the same tests has done so. */
async function start(): Promise<Server> {
  const given = process.env.TEST_DATABASE_URL
  const url = given ? urlOf(given) : (await startPostgres()).url
  const admin = new pg.Pool({ ...clientOf(url('postgres')), max: 1, allowExitOnIdle: true })
  const template = `gatehouse_template_${process.env.TEST_RUN ?? process.pid}`
  await admin.query(`select pg_advisory_lock(${templateLock})`)
  const { rowCount } = await admin.query('select from pg_database where datname = $1', [template])
  const postgres = addressOf(url(template))
  if (rowCount === 0) {
    await createDatabase(admin, template, 'template0')
    await admin.query('drop table if exists free_databases')
    await admin.query('create table free_databases (name text primary key)')
  }
  const { db } = connect({ dataDirectory: '', timeoutMs: 10_000, postgres })
  await migrate(db, { now: () => 0, wait: async () => {} })
  const { rows } = await db.executeQuery<{ names: string }>(CompiledQuery.raw(tables))
  await db.destroy()
  await admin.query(`select pg_advisory_unlock(${templateLock})`)
  return { admin, template, shape: rows[0]?.names ?? '', url }
}

function urlOf(text: string): (database: string) => string {
  return (database) => {
    const url = new URL(text)
    url.pathname = `/${database}`
    return url.href
  }
}

function addressOf(url: string) {
  return parsePostgresAddress(url, () => true)
}

function clientOf(url: string): pg.ClientConfig {
  const { host, port, user, password, database } = addressOf(url)
  return { host, port, user, password: password?.reveal(), database }
}

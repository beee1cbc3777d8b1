import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { connect } from '../src/database/connect.ts'
import { type Connected, execute } from '../src/database/database.ts'
import { migrate } from '../src/database/migrate.ts'
import { type PostgresAddress, parsePostgresAddress } from '../src/database/postgres/address.ts'
import { channel } from '../src/database/postgres/feed.ts'
import { databaseFileName } from '../src/database/sqlite/connect.ts'
import type { TestApp } from './app.ts'
import { masterKey } from './master-key.ts'
import { startPostgres } from './postgres.ts'
import { until } from './until.ts'

/**
 * Which database the tests run on: `TEST_DATABASE=postgres`, else SQLite. A PostgreSQL server of the
 * tests' own is started where `TEST_DATABASE_URL` names none; its user must be allowed to create
 * databases.
 */
export const testDatabase = process.env.TEST_DATABASE === 'postgres' ? 'postgres' : 'sqlite'

/** For what is about the SQLite file itself; there is no such thing elsewhere. */
export const sqliteOnly = testDatabase === 'sqlite' ? test : absent
/** For what SQLite cannot do: several machines. */
export const postgresOnly = testDatabase === 'postgres' ? test : absent

function absent(_name: string, _work: () => Promise<void> | void): void {}

/**
 * The settings of a service on the database that belongs to a folder: two services with one folder
 * share it. `isEmpty`: without any table yet.
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
    DATABASE_TIMEOUT_MS: '10000', // of a machine that does many things at once
  }
}

/** SQLite's file with the schema, where the folder has none yet: to copy it is quicker than to make it. */
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

/** A server of its own takes longer to connect to than a file, on a machine that does much else. */
export function timeoutFor(given: string | undefined): Record<string, string> {
  if (given === undefined || testDatabase === 'sqlite') return {}
  return { DATABASE_TIMEOUT_MS: String(Math.max(Number(given), leastTimeoutMs)) }
}

const leastTimeoutMs = 2000

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

/** A connection of its own to the database of a folder, as another process would have it. */
export async function connectTo({
  directory = mkdtempSync(join(tmpdir(), 'gatehouse-')),
  timeoutMs = testDatabase === 'sqlite' ? 2000 : 10_000, // as for services: the machine may be busy
  isEmpty = false,
}: TestConnection = {}): Promise<TestConnected> {
  const { DATABASE_URL } = await databaseSettings(directory, { isEmpty })
  const postgres = DATABASE_URL === undefined ? undefined : addressOf(DATABASE_URL)
  return {
    directory,
    address: postgres,
    ...connect({ dataDirectory: directory, timeoutMs, synchronous: 'off', postgres }),
  }
}

/** One service more is on the database of a folder. */
export function enterDatabase(directory: string): void {
  usersOf.set(directory, (usersOf.get(directory) ?? 0) + 1)
}

/**
 * The database of a folder is another's once the last service on it has gone; answers whether that was
 * the last.
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

/**
 * Resolves once a service has heard of all that others have committed so far: in a turn on SQLite,
 * and within a second where a notice must come over the network. Notices arrive in the order of
 * commits.
 */
export async function heard({ deps: { db, feed } }: Pick<TestApp, 'deps'>): Promise<void> {
  if (testDatabase === 'sqlite') return void (await setImmediate()) // asked once in a turn
  const before = feed.version()
  await sql`select pg_notify(${channel}, '')`.execute(db)
  await until(() => feed.isCurrent() && feed.version() !== before)
}

/**
 * Holds the write lock of a service's database as another process would. To release it lets nothing
 * through that was waiting for it: who gave up at its own time limit has left a statement at
 * PostgreSQL, which waits for as long there and could still be done.
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
      where table_schema = 'public' and table_type = 'BASE TABLE'`,
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

/** Those connected to this database that wait for a lock, whatever is locked. */
const waiting = `
  select from pg_locks where not granted and pid in (
    select pid from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database())`

/** Makes the database refuse changes, as `update on accounts` names them; the answer lets them through again. */
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

/** What the database says of a table that it does not have. */
export function noSuchTable(name: string): string {
  return testDatabase === 'sqlite' ? `no such table: ${name}` : `relation "${name}" does not exist`
}

const databases = new Map<string, Promise<string>>()
const usersOf = new Map<string, number>()
let made = 0

/** One that another test has left, where there is any: to make a database takes ten times as long. */
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

/** By copies of files, which is the quicker way for so small ones; before 15 there is no other. */
async function createDatabase(admin: pg.Pool, name: string, template: string): Promise<void> {
  const { rows } = await admin.query<{ server_version_num: string }>('show server_version_num')
  const how = Number(rows[0]?.server_version_num) < 150_000 ? '' : 'strategy file_copy'
  await admin.query(`create database ${name} template ${template} ${how}`)
}

// Triggers and foreign keys rest meanwhile. A large table would stay large if its rows were deleted;
// most were never written to, and to delete from those is most of the work.
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

/** Empties a database for the next test; one whose tables are not what they were goes. */
async function cancel(name: string): Promise<void> {
  const { admin, url, shape } = await server()
  const client = new pg.Client(clientOf(url(name)))
  await client.connect()
  const { rows } = await client.query<{ names: string }>(tables)
  const isWhole = rows[0]?.names === shape
  if (isWhole) await client.query(emptied)
  await client.end()
  if (isWhole) await admin.query('insert into free_databases values ($1)', [name])
  else await admin.query(`drop database if exists ${name} with (force)`)
}

interface Server {
  readonly admin: pg.Pool
  readonly template: string
  /** The names of all that a database of ours has. */
  readonly shape: string
  url(database: string): string
}

let starting: Promise<Server> | undefined

function server(): Promise<Server> {
  starting ??= start()
  return starting
}

const templateLock = 7_340_021

/** Makes the template, where no other process of the same tests has done so. */
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

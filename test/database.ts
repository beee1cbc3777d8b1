import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { type Connected, connect } from '../src/database/connect.ts'
import { migrate } from '../src/database/migrate.ts'
import { parsePostgresAddress } from '../src/database/postgres-address.ts'
import { startPostgres } from './postgres.ts'

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

/** Every node of a test has the same. */
const masterKey = '7c1f0b93e2a84d5698fe03b1d67a2c4459e80f137b6ad2c59410ee8f23bd5706'

/**
 * The settings of a service on the database that belongs to a folder: two services with one folder
 * share it. `isEmpty`: without any table yet.
 */
export async function databaseSettings(
  directory: string,
  { isEmpty = false } = {},
): Promise<Record<string, string>> {
  if (testDatabase === 'sqlite') return { DATA_DIR: directory }
  const made = databases.get(directory) ?? createDatabase(isEmpty)
  databases.set(directory, made)
  return {
    DATA_DIR: directory,
    DATABASE_URL: (await server()).url(await made),
    MASTER_KEY: masterKey,
  }
}

export interface TestConnection {
  readonly directory?: string
  readonly timeoutMs?: number
  readonly isEmpty?: boolean
}

/** A connection of its own to the database of a folder, as another process would have it. */
export async function connectTo({
  directory = mkdtempSync(join(tmpdir(), 'gatehouse-')),
  timeoutMs = 2000,
  isEmpty = false,
}: TestConnection = {}): Promise<Connected & { readonly directory: string }> {
  const { DATABASE_URL } = await databaseSettings(directory, { isEmpty })
  const postgres = DATABASE_URL === undefined ? undefined : addressOf(DATABASE_URL)
  return {
    directory,
    ...connect({ dataDirectory: directory, timeoutMs, synchronous: 'off', postgres }),
  }
}

/** The database of a folder goes with it. */
export async function dropDatabase(directory: string): Promise<void> {
  const name = await databases.get(directory)
  if (name === undefined) return
  databases.delete(directory)
  await (await server()).admin.query(`drop database if exists ${name} with (force)`)
}

const databases = new Map<string, Promise<string>>()
let made = 0

async function createDatabase(isEmpty: boolean): Promise<string> {
  const { admin, template } = await server()
  made += 1
  const name = `gatehouse_test_${process.pid}_${made}`
  const from = isEmpty ? 'template0' : template
  await admin.query(`create database ${name} template ${from} strategy file_copy`)
  return name
}

interface Server {
  readonly admin: pg.Pool
  readonly template: string
  url(database: string): string
}

let starting: Promise<Server> | undefined

function server(): Promise<Server> {
  starting ??= start()
  return starting
}

async function start(): Promise<Server> {
  const given = process.env.TEST_DATABASE_URL
  const url = given ? urlOf(given) : (await startPostgres()).url
  // One at a time: a template is not copied while another looks at it.
  const admin = new pg.Pool({ ...clientOf(url('postgres')), max: 1, allowExitOnIdle: true })
  const template = `gatehouse_template_${process.pid}`
  await admin.query(`create database ${template} template template0 strategy file_copy`)
  const { db } = connect({
    dataDirectory: '',
    timeoutMs: 10_000,
    postgres: addressOf(url(template)),
  })
  await migrate(db, { now: () => 0, wait: async () => {} })
  await db.destroy()
  return { admin, template, url }
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

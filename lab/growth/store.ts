import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { type RestartableCluster, startCluster } from '../../test/faults/cluster.ts'
import { masterKey } from '../../test/master-key.ts'
import type { Settings } from '../bench/processes.ts'

export const databases = ['SQLite', 'PostgreSQL'] as const
export type DatabaseName = (typeof databases)[number]

/** A database, used beside the service. */
export interface Store {
  readonly name: DatabaseName
  readonly settings: Settings
  readonly directory: string
  query<T extends object = object>(text: string): Promise<T[]>
  /** One change of many rows; PostgreSQL runs no trigger for it, which would take many minutes. */
  changeMany(text: string): Promise<void>
  /** A SQL expression of 32 random hex digits. */
  readonly randomHex: string
  /** Does the work of autovacuum, or of the service when it is idle. */
  settle(): Promise<void>
  bytes(): Promise<number>
  /** The sizes of the largest tables with their indexes, if the database tells them. */
  largest(): Promise<{ name: string; bytes: number }[]>
  close(): Promise<void>
}

let cluster: Promise<RestartableCluster> | undefined

/**
 * Settings of a new installation of PostgreSQL, with commits that wait for the disk and with
 * autovacuum, and a larger write-ahead log, as an operator would configure it.
 */
function postgres(): Promise<RestartableCluster> {
  cluster ??= startCluster({ autovacuum: 'on', max_wal_size: '4GB', checkpoint_timeout: '15min' })
  return cluster
}

export async function removeCluster(): Promise<void> {
  await (await cluster)?.remove()
}

export async function emptyStore(name: DatabaseName): Promise<Store> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-growth-'))
  return name === 'SQLite' ? sqliteStore(directory) : postgresStore(directory)
}

function sqliteStore(directory: string): Store {
  const path = join(directory, 'gatehouse.db')
  const using = <T>(work: (db: DatabaseSync) => T): T => {
    const db = new DatabaseSync(path, { timeout: 60_000 })
    try {
      db.exec('pragma synchronous = off; pragma cache_size = -262144; pragma foreign_keys = off')
      return work(db)
    } finally {
      db.close()
    }
  }
  return {
    name: 'SQLite',
    settings: { DATA_DIR: directory, MASTER_KEY: masterKey },
    directory,
    // The caller declares the type of a row.
    query: async <T extends object>(text: string) => using((db) => db.prepare(text).all() as T[]),
    changeMany: async (text) => using((db) => db.exec(text)),
    randomHex: 'lower(hex(randomblob(16)))',
    async settle() {
      using((db) => db.exec('pragma wal_checkpoint(truncate)'))
      execFileSync('sync') // the seeded gigabyte must not be written during the measurement
    },
    bytes: async () => statSync(path).size,
    largest: async () => [],
    close: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

async function postgresStore(directory: string): Promise<Store> {
  const server = await postgres()
  const name = await server.createDatabase()
  const url = server.url(name)
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {}) // the server ends before it if a measurement fails
  await client.connect()
  const query = async <T extends object>(text: string) => (await client.query<T>(text)).rows
  return {
    name: 'PostgreSQL',
    settings: { DATA_DIR: directory, DATABASE_URL: url, MASTER_KEY: masterKey },
    directory,
    query,
    async changeMany(text) {
      await query(`begin; set local session_replication_role = replica; ${text}; commit`)
    },
    randomHex: "replace(gen_random_uuid()::text, '-', '')",
    async settle() {
      await query('vacuum analyze')
      await query('checkpoint')
      execFileSync('sync')
    },
    async bytes() {
      const [row] = await query<{ bytes: string }>(
        'select pg_database_size(current_database()) as bytes',
      )
      return Number(row?.bytes)
    },
    async largest() {
      const rows = await query<{ name: string; bytes: string }>(`
        select relname as name, pg_total_relation_size(oid) as bytes from pg_class
        where relkind = 'r' and relnamespace = 'public'::regnamespace order by 2 desc limit 5`)
      return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }))
    },
    async close() {
      await client.end()
      await server.query('postgres', `drop database ${name} with (force)`)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

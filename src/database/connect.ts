import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { CompiledQuery, Kysely, type Transaction } from 'kysely'
import { NodeSqliteDialect } from './node-sqlite.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>
/** What a store verb takes that can stand alone or inside a transaction. */
export type DatabaseOrTransaction = Database | Transaction<Schema>

export interface ConnectOptions {
  readonly dataDirectory: string
  readonly timeoutMs: number
  readonly synchronous?: 'full' | 'off'
}

export const databaseFileName = 'gatehouse.db'

/** Tells of changes that other processes made. */
export interface ChangeFeed {
  /** Differs from an earlier answer once another process has changed the database. */
  version(): number
}

export interface Connected {
  readonly db: Database
  readonly feed: ChangeFeed
}

/**
 * Opens `DATA_DIR/gatehouse.db`, made with its directory (mode 0700) where it is missing.
 * @throws Error where the directory cannot be made
 */
export function connect({
  dataDirectory,
  timeoutMs,
  synchronous = 'full',
}: ConnectOptions): Connected {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  const path = join(dataDirectory, databaseFileName)
  const dialect = new NodeSqliteDialect({ path, timeoutMs, synchronous })
  return { db: new Kysely<Schema>({ dialect }), feed: { version: () => dialect.dataVersion() } }
}

/** A statement of our own making, without parameters. */
export async function execute(db: DatabaseOrTransaction, statement: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement))
}

import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CompiledQuery, type Dialect, Kysely, type Transaction } from 'kysely'
import { DatabaseUnavailable } from './errors.ts'
import type { PostgresAddress } from './postgres/address.ts'
import { connectPostgres } from './postgres/connect.ts'
import type { Schema } from './schema.ts'
import { NodeSqliteDialect } from './sqlite/dialect.ts'

export type Database = Kysely<Schema>
/** What a store verb takes that can stand alone or inside a transaction. */
export type DatabaseOrTransaction = Database | Transaction<Schema>

export interface ConnectOptions {
  readonly dataDirectory: string
  readonly timeoutMs: number
  readonly synchronous?: 'full' | 'off'
  /** PostgreSQL instead of the SQLite file. */
  readonly postgres?: PostgresAddress | undefined
  /** Of PostgreSQL: connections at once. */
  readonly poolMax?: number
  /** Puts something between the queries and the driver, such as a count of what is sent. */
  readonly wrap?: (dialect: Dialect) => Dialect
}

const poolMax = 10

export const databaseFileName = 'gatehouse.db'

/** Tells of changes that other processes made. */
export interface ChangeFeed {
  /**
   * Whether the other two are true now. Where they are not, nobody knows what has changed: whoever
   * must not be late asks the database itself.
   */
  isCurrent(): boolean
  /** Differs from an earlier answer once another process has changed the database. */
  version(): number
  /** Differs once anyone has, this process included. */
  anyVersion(): number
}

export interface Connected {
  readonly db: Database
  /**
   * The same database, for what is written at every login: its commits outlive a kill of the process,
   * and a loss of power but for the last moments.
   */
  readonly unsyncedDb: Database
  readonly feed: ChangeFeed
  /**
   * Looks at the file itself: SQLite would go on answering from memory for a while. PostgreSQL is
   * asked whether it takes changes.
   * @throws DatabaseUnavailable where the file is not there any more, or is no database, or a standby
   */
  readonly assertDatabaseServes: () => Promise<void>
}

/** The database of the settings: PostgreSQL, else the SQLite file. @throws Error as `connectSqlite` */
export function connect(options: ConnectOptions): Connected {
  const { postgres: address } = options
  return address ? connectPostgres({ poolMax, ...options, address }) : connectSqlite(options)
}

/**
 * Opens `DATA_DIR/gatehouse.db`, made with its directory (mode 0700) where it is missing.
 * @throws Error that names DATA_DIR, where the directory cannot be made, or a file that others can read
 */
function connectSqlite({
  dataDirectory,
  timeoutMs,
  synchronous = 'full',
  wrap = (given) => given,
}: ConnectOptions): Connected {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Error(`DATA_DIR ${dataDirectory} is no folder and cannot be made`, { cause: error })
  }
  const path = join(dataDirectory, databaseFileName)
  closeSync(openSync(path, 'a', 0o600)) // SQLite would make it for everyone to read
  assertPrivate(path)
  const dialect = new NodeSqliteDialect({ path, timeoutMs, synchronous })
  return {
    db: new Kysely<Schema>({ dialect: wrap(dialect) }),
    unsyncedDb: new Kysely<Schema>({ dialect: wrap(dialect.unsynced()) }),
    feed: {
      isCurrent: () => true,
      version: () => dialect.foreignVersion(),
      anyVersion: () => dialect.version(),
    },
    assertDatabaseServes: () => assertDatabaseFile(path),
  }
}

/** The file holds password hashes and personal data. @throws Error where others can read it */
function assertPrivate(path: string): void {
  if (statSync(path).mode & 0o077) {
    throw new Error(`${path} can be read by other users: chmod 600 it`)
  }
}

// https://sqlite.org/fileformat.html#magic_header_string
const magic = 'SQLite format 3\0'

async function assertDatabaseFile(path: string): Promise<void> {
  try {
    await using file = await open(path)
    const { buffer } = await file.read({ buffer: Buffer.alloc(magic.length), position: 0 })
    if (buffer.toString('latin1') !== magic) throw new Error('it has another header')
  } catch (error) {
    throw new DatabaseUnavailable('the database file cannot be read', { cause: error })
  }
}

/** A statement of our own making, without parameters. */
export async function execute(db: DatabaseOrTransaction, statement: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement))
}

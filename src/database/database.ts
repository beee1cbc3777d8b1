import { CompiledQuery, type Dialect, type Kysely, type Transaction } from 'kysely'
import type { PostgresAddress } from './postgres/address.ts'
import type { Schema } from './schema.ts'

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
  readonly asyncCommitDb: Database
  readonly feed: ChangeFeed
  /**
   * Looks at the file itself: SQLite would go on answering from memory for a while. PostgreSQL is
   * asked whether it takes changes.
   * @throws DatabaseUnavailable where the file is not there any more, or is no database, or a standby
   */
  readonly assertDatabaseServes: () => Promise<void>
}

/** A statement of our own making, without parameters. */
export async function execute(db: DatabaseOrTransaction, statement: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement))
}

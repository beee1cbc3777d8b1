import { CompiledQuery, type Dialect, type Kysely, type Transaction } from 'kysely'
import type { DatabaseMeasurements } from '../measurements/measurements.ts'
import type { PostgresAddress } from './postgres/address.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>
/** The parameter of store functions that work both outside and inside a transaction. */
export type DatabaseOrTransaction = Database | Transaction<Schema>

export interface ConnectOptions {
  readonly dataDirectory: string
  readonly timeoutMs: number
  readonly synchronous?: 'full' | 'off'
  /**
   * Lets commits on SQLite wait for the disk together, for a process that alone serves many
   * callers.
   */
  readonly groupCommit?: boolean
  /** Writes the log of SQLite back on a thread, for a process that serves callers. */
  readonly checkpointThread?: boolean
  /** PostgreSQL instead of the SQLite file. */
  readonly postgres?: PostgresAddress | undefined
  /** The maximum number of PostgreSQL connections. */
  readonly poolMax?: number
  /** What counts the statements and connections; absent: they are counted for nothing. */
  readonly measurements?: DatabaseMeasurements
  /** Wraps the dialect, for example to count statements: every read passes its connections. */
  readonly wrap?: (dialect: Dialect) => Dialect
  /** Wraps the dialect and its adapter, by which reads of SQLite bypass the connections. */
  readonly observe?: (dialect: Dialect) => Dialect
}

/** Notices changes that other processes make. */
export interface ChangeFeed {
  /**
   * Whether `version` and `anyVersion` are up to date. If not, this process does not know what has
   * changed, and a caller that needs the latest state must read the database.
   */
  isCurrent(): boolean
  /** A number that changes when another process changes the database. */
  version(): number
  /** A number that changes when any process does, this one included. */
  anyVersion(): number
  /**
   * Tells the other processes of this machine that a transaction of this one has changed what the
   * feed reports. When it resolves, their `version` has changed. Absent where that is so already.
   */
  announce?(): Promise<void>
  /**
   * How long this process may not know of a change that others have made, in milliseconds; 0 while
   * the feed rests, because nothing asks it. It does not begin anew with each attempt to connect.
   * Absent where each look reads the database.
   */
  lagMs?(): number
  /**
   * Does work that waits for nothing; it reads each of the numbers once at most. For requests that
   * had all arrived before the call: each of them is judged by a number that was read after that.
   */
  together(work: () => void): void
}

export interface Connected {
  readonly db: Database
  /**
   * The same database with asynchronous commits, for rows that every login writes. Its commits
   * survive a kill of the process; a loss of power can undo those of the last moments.
   */
  readonly asyncCommitDb: Database
  readonly feed: ChangeFeed
  /** Absent with PostgreSQL. */
  readonly databaseFiles?: DatabaseFiles
  /**
   * Looks at the SQLite file itself, because SQLite answers on after the file is gone or is another.
   * Asks PostgreSQL whether it accepts writes.
   * @throws DatabaseReplaced if a file is gone or is another; DatabaseUnavailable if the file is no
   * database; DatabaseReadOnly if the file cannot be written any more, or the server is a standby
   */
  readonly assertDatabaseServes: () => Promise<void>
}

/** The files of SQLite, which must stay those that this process has opened. */
export interface DatabaseFiles {
  /**
   * Compares the files at the paths with the open files now. Answers the path of a missing or replaced
   * file; null if there is none, and before the first statement opens the files.
   */
  replaced(): string | null
  /**
   * Makes a finding of `replaced` final: nothing is written any more, and the files stay open. A close
   * would make SQLite copy its open log into the database file.
   */
  abandon(): void
}

/** What the driver is told of a compiled query; SQLite's has use for `isDurable` alone. */
export interface QueryHints {
  /** Its text is one of few: the session keeps it parsed and planned. */
  readonly isKept?: boolean
  /** Nothing waits for its answer: it is sent with the next statement of the transaction, or with its commit. */
  readonly isDeferred?: boolean
  /**
   * Its transaction waits for the disk, also on a database with asynchronous commits; and it is
   * committed, also if it is all that was deferred.
   */
  readonly isDurable?: boolean
}

/** Executes a constant statement without parameters. */
export async function execute(db: DatabaseOrTransaction, statement: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement))
}

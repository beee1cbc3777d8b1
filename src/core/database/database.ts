import { CompiledQuery, type Dialect, type Kysely, type Transaction } from 'kysely'
import type { Clock } from '../lib/clock.ts'
import type { DatabaseMeasurements } from '../measurements/measurements.ts'
import type { PostgresAddress } from './postgres/address.ts'
import type { Schema } from './schema.ts'

export type Database = Kysely<Schema>
/** For store functions inside or outside a transaction. */
export type DatabaseOrTransaction = Database | Transaction<Schema>

export interface ConnectOptions {
  readonly dataDirectory: string
  readonly timeoutMs: number
  readonly synchronous?: 'full' | 'off'
  /** Groups SQLite's commits, for a single process with many callers. */
  readonly groupCommit?: boolean
  /** Checkpoints SQLite's log on a thread. */
  readonly checkpointThread?: boolean
  /** Replaces SQLite. */
  readonly postgres?: PostgresAddress | undefined
  readonly poolMax?: number
  /** How changes are confirmed with other nodes of PostgreSQL. */
  readonly nodes?: NodeLeaseOptions
  readonly measurements?: DatabaseMeasurements
  /** Wraps the dialect; every read passes its connections. */
  readonly wrap?: (dialect: Dialect) => Dialect
  /** Also wraps the adapter, through which SQLite reads bypass the connections. */
  readonly observe?: (dialect: Dialect) => Dialect
}

export interface NodeLeaseOptions {
  /** Whether ends wait once, when the node closes: for a command, whose end is the answer. */
  readonly confirmsAtClose?: boolean
  /** The wait if confirmations may be missed; 0 in tests, whose services are younger than a lease. */
  readonly unheardMs?: number
  /** The wall clock. Its jump after a virtual machine was frozen ends the lease. */
  readonly clock?: Pick<Clock, 'now'>
}

/** Detects changes of other processes. On PostgreSQL by leases: postgres/node-lease.ts. */
export interface ChangeFeed {
  /** If false, changes may be missed: callers that need the latest state must read the database. */
  isCurrent(): boolean
  /** Changes with changes of other processes. */
  version(): number
  /** Raised by changes of any process, this one included. With `onChanges`, by missed changes only. */
  anyVersion(): number
  /**
   * Calls the listener with the subjects of committed changes of any process, before the changes are
   * acknowledged; with null if changes were missed. Absent with SQLite, whose versions are read from
   * the file.
   */
  onChanges?(listener: (subjects: readonly string[] | null) => void): void
  /** The key of the confirmations between nodes. Absent with SQLite. */
  useKey?(key: Uint8Array): void
  /**
   * How long changes may have been missed, in milliseconds; 0 while unused. Reconnecting does not
   * reset the value. Absent if every check reads the database.
   */
  lagMs?(): number
  /**
   * Runs synchronous work that reads each number at most once, for requests that all arrived before
   * the call.
   */
  together(work: () => void): void
}

export interface Connected {
  readonly db: Database
  /**
   * Commits asynchronously, for rows that every login writes. Survives a kill; a power loss can
   * undo the last moments.
   */
  readonly asyncCommitDb: Database
  readonly feed: ChangeFeed
  /** Absent with PostgreSQL. */
  readonly databaseFiles?: DatabaseFiles
  /**
   * Checks the SQLite file, because SQLite still answers after a deletion or replacement; asks
   * PostgreSQL whether it accepts writes.
   * @throws DatabaseReplaced; DatabaseUnavailable if the file is no database; DatabaseReadOnly for
   * a read-only file or a standby
   */
  readonly assertDatabaseServes: () => Promise<void>
}

export interface DatabaseFiles {
  /** The path of a missing or replaced file; null if none, or before the first statement. */
  replaced(): string | null
  /**
   * Stops all writes and keeps the files open: closing would copy the open log into the database
   * file.
   */
  abandon(): void
}

/** Driver hints; SQLite uses only `isDurable`. */
export interface QueryHints {
  /** One of few texts: prepare once per session. */
  readonly isKept?: boolean
  /** Sent with the transaction's next statement or commit. */
  readonly isDeferred?: boolean
  /**
   * Waits for the disk despite asynchronous commits, and commits even if nothing else was deferred.
   */
  readonly isDurable?: boolean
}

export async function execute(db: DatabaseOrTransaction, statement: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(statement))
}

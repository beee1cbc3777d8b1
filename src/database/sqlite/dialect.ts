import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { acquiringBy } from '../acquiring.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { Deadline, Mutex } from '../mutex.ts'
import { Connection, type Synchronous } from './connection.ts'

const retryMs = 5
/** Taken as it is needed. */
const writerCacheKib = 16_384
/** Of 4 KiB: so long does the log grow before it is written back. */
const pagesPerCheckpoint = 4000

// BEGIN alone takes no state: the first read does. https://sqlite.org/lang_transaction.html
const firstRead = CompiledQuery.raw('select count(*) from sqlite_schema')

export interface NodeSqliteOptions {
  readonly path: string
  /** How long a write waits for another process or another request before it is given up. */
  readonly timeoutMs: number
  /** FULL: an acknowledged change outlives a loss of power. OFF is for throw-away databases. */
  readonly synchronous: 'full' | 'off'
}

/**
 * Kysely on node:sqlite, with two connections on one file in WAL mode: reads outside a transaction
 * never wait for a writer, and writers take turns. A transaction for reading alone has a connection
 * of its own. Nothing here blocks the event loop while it waits for a lock. @throws DatabaseUnavailable from any query, after `timeoutMs` at the latest
 */
export class NodeSqliteDialect implements Dialect {
  readonly #driver: NodeSqliteDriver

  constructor(options: NodeSqliteOptions) {
    this.#driver = new NodeSqliteDriver(options)
  }

  /** Differs from an earlier answer once another process has changed the database. */
  foreignVersion(): number {
    return this.#driver.foreignVersion()
  }

  /** Differs once anyone has, this process included. */
  version(): number {
    return this.#driver.version()
  }

  /**
   * The same connections, for changes that shall outlive a kill of the process but need not outlive a
   * loss of power: their commits do not wait for the disk. Opened and closed with the dialect itself.
   */
  asyncCommit(): Dialect {
    return acquiringBy(this, () => this.#driver.acquireAsyncCommit())
  }

  createAdapter(): DialectAdapter {
    return new TwoConnectionAdapter()
  }

  createDriver(): Driver {
    return this.#driver
  }

  createQueryCompiler(): QueryCompiler {
    return new SqliteQueryCompiler()
  }

  // biome-ignore lint/suspicious/noExplicitAny: the signature is Kysely's
  createIntrospector(db: Kysely<any>): DatabaseIntrospector {
    return new SqliteIntrospector(db)
  }
}

class TwoConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true // the driver lets writers take turns by itself
  }
}

class NodeSqliteDriver implements Driver {
  readonly #options: NodeSqliteOptions
  readonly #turns = new Mutex()
  #writer: Connection | undefined
  #reader: Connection | undefined

  constructor(options: NodeSqliteOptions) {
    this.#options = options
  }

  async init(): Promise<void> {
    const { path, synchronous, timeoutMs } = this.#options
    const writer = new Connection(path)
    try {
      // Another process may be making the file at this moment.
      await retryWhileBusy(() => writer.exec('pragma journal_mode = wal'), new Deadline(timeoutMs))
      writer.synchronize(synchronous)
      writer.exec('pragma foreign_keys = on')
      // What many rows in no order change must not be written again and again: an import meets every
      // page of an index in each of its batches.
      writer.exec(`pragma cache_size = -${writerCacheKib}`)
      writer.exec(`pragma wal_autocheckpoint = ${pagesPerCheckpoint}`)
      this.#reader = new Connection(path, { readOnly: true })
    } catch (error) {
      writer.close()
      throw error
    }
    this.#writer = writer
  }

  // SQLite tells a connection of the commits of all others: the writer of other processes' alone, the
  // reader of the writer's as well.
  foreignVersion(): number {
    return this.#writer?.dataVersion() ?? 0
  }

  version(): number {
    return this.#reader?.dataVersion() ?? 0
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    return this.#lease(this.#options.synchronous)
  }

  async acquireAsyncCommit(): Promise<DatabaseConnection> {
    return this.#lease(this.#options.synchronous === 'off' ? 'off' : 'normal')
  }

  #lease(synchronous: Synchronous): Lease {
    if (!this.#writer || !this.#reader) throw new DatabaseUnavailable('the database is closed')
    const { path, timeoutMs } = this.#options
    const openReader = () => new Connection(path, { readOnly: true })
    return new Lease(this.#writer, this.#reader, this.#turns, timeoutMs, synchronous, openReader)
  }

  async beginTransaction(
    connection: DatabaseConnection,
    { accessMode }: TransactionSettings,
  ): Promise<void> {
    const lease = leaseOf(connection)
    if (accessMode === 'read only') lease.beginSnapshot()
    else await lease.begin()
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await leaseOf(connection).end('commit')
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await leaseOf(connection).end('rollback')
  }

  async releaseConnection(): Promise<void> {}

  async destroy(): Promise<void> {
    this.#reader?.close()
    this.#writer?.close()
    this.#reader = undefined
    this.#writer = undefined
  }
}

/** What one query or one transaction sees: reads go to the reader, writes take the writer's turn. */
class Lease implements DatabaseConnection {
  readonly #writer: Connection
  readonly #reader: Connection
  readonly #turns: Mutex
  readonly #timeoutMs: number
  readonly #synchronous: Synchronous
  readonly #openReader: () => Connection
  #snapshot: Connection | undefined
  #inTransaction = false
  #leave: (() => void) | undefined

  constructor(
    writer: Connection,
    reader: Connection,
    turns: Mutex,
    timeoutMs: number,
    synchronous: Synchronous,
    openReader: () => Connection,
  ) {
    this.#openReader = openReader
    this.#synchronous = synchronous
    this.#writer = writer
    this.#reader = reader
    this.#turns = turns
    this.#timeoutMs = timeoutMs
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (this.#snapshot) return this.#snapshot.run(query)
    if (this.#inTransaction) return this.#writer.run(query)
    if (query.query.kind === 'SelectQueryNode') return this.#reader.run(query)
    const deadline = new Deadline(this.#timeoutMs)
    const leave = await this.#turns.enter(deadline)
    try {
      this.#writer.synchronize(this.#synchronous)
      return await retryWhileBusy(() => this.#writer.run<R>(query), deadline)
    } finally {
      leave()
    }
  }

  // biome-ignore lint/correctness/useYield: no query of this project is streamed by the driver
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in batches by key instead')
  }

  /** BEGIN IMMEDIATE: a transaction that starts as a reader could fail half-way at its first write. */
  async begin(): Promise<void> {
    const deadline = new Deadline(this.#timeoutMs)
    const leave = await this.#turns.enter(deadline)
    try {
      this.#writer.synchronize(this.#synchronous)
      await retryWhileBusy(() => this.#writer.exec('begin immediate'), deadline)
    } catch (error) {
      leave()
      throw error
    }
    this.#inTransaction = true
    this.#leave = leave
  }

  /** One state of the database until the end, for which no writer has to wait. */
  beginSnapshot(): void {
    const snapshot = this.#openReader()
    try {
      snapshot.exec('begin')
      snapshot.run(firstRead)
    } catch (error) {
      snapshot.close()
      throw error
    }
    this.#snapshot = snapshot
  }

  async end(how: 'commit' | 'rollback'): Promise<void> {
    if (this.#snapshot) {
      this.#snapshot.close()
      this.#snapshot = undefined
      return
    }
    // Kysely rolls back after a commit that failed: by then the writer may be another's.
    if (!this.#inTransaction) return
    try {
      this.#writer.exec(how)
    } catch (error) {
      // A commit that failed (full disk) leaves the transaction open; a rollback that SQLite did
      // by itself leaves none. Either way the next one must find a clean connection.
      if (this.#writer.isTransaction) this.#writer.exec('rollback')
      if (how === 'commit') throw error
    } finally {
      this.#inTransaction = false
      this.#leave?.()
      this.#leave = undefined
    }
  }
}

function leaseOf(connection: DatabaseConnection): Lease {
  if (connection instanceof Lease) return connection
  throw new Error('not a connection of this driver')
}

async function retryWhileBusy<T>(attempt: () => T, deadline: Deadline): Promise<T> {
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      const mayPass = error instanceof DatabaseUnavailable && error.isBusy
      if (!mayPass || deadline.leftMs() === 0) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(retryMs, deadline.leftMs())))
  }
}

import {
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import {
  type DatabaseMeasurements,
  databaseMeasurements,
  type PoolState,
} from '../../measurements/measurements.ts'
import { acquiringBy } from '../acquiring.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { Deadline, Mutex } from '../mutex.ts'
import { ReadingAdapter, type SqlText } from '../reading.ts'
import { retryWhileBusy } from './busy.ts'
import { Checkpoints, pagesPerCheckpoint } from './checkpoints.ts'
import { Connection, type Synchronous } from './connection.ts'
import { type Disk, endProcess, noWait, sharedWait } from './disk.ts'
import { type FlushFile, GroupCommit } from './group-commit.ts'
import { firstRead, Lease, leaseOf } from './lease.ts'
import { OpenedFiles } from './opened-files.ts'

/** A maximum: SQLite allocates the cache as it fills. */
const writerCacheKib = 16_384

export interface NodeSqliteOptions {
  readonly path: string
  /** How long a write waits for another process or another request before it fails. */
  readonly timeoutMs: number
  /** FULL: an acknowledged change survives a loss of power. OFF is for throw-away databases. */
  readonly synchronous: 'full' | 'off'
  /** Whether reads may bypass Kysely's connections, which a wrapper of the dialect counts on. */
  readonly readsAtOnce?: boolean
  /** Lets commits wait for the disk together, by this function; without it each waits alone. */
  readonly groupCommit?: FlushFile | undefined
  /** Writes the log back on a thread, so that commits need not: see checkpoints.ts. */
  readonly checkpointThread?: boolean
  readonly measurements?: DatabaseMeasurements
  /** Called when all connections are closed. */
  readonly closed?: () => void
}

/**
 * Kysely on node:sqlite, with two connections on one file in WAL mode: reads outside a transaction
 * never wait for a writer, and a mutex admits one writer at a time. A read-only transaction has a
 * connection of its own. Waiting for a lock does not block the event loop. With `groupCommit` the
 * disk does not block it either; a result is given when all that it may rest on is on disk.
 * @throws DatabaseUnavailable from any query, after `timeoutMs` at the latest
 */
export class NodeSqliteDialect implements Dialect {
  readonly #driver: NodeSqliteDriver

  constructor(options: NodeSqliteOptions) {
    this.#driver = new NodeSqliteDriver(options)
  }

  get files(): OpenedFiles {
    return this.#driver.files
  }

  /** A number that changes when another process changes the database, or this one unknowingly. */
  foreignVersion(): number {
    return this.#driver.foreignVersion()
  }

  /** A number that changes when any process does, this one included. */
  version(): number {
    return this.#driver.version()
  }

  /**
   * A dialect on the same connections whose commits do not wait for the disk: changes survive a
   * kill of the process and may be lost with the power. It is opened and closed with this dialect.
   */
  asyncCommit(): Dialect {
    return acquiringBy(this, () => this.#driver.acquireAsyncCommit())
  }

  createAdapter(): DialectAdapter {
    return new ReadingAdapter((query) => this.#driver.readAtOnce(query))
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

/**
 * Connections whose files were replaced. A reference keeps them from the garbage collector, which
 * would close them.
 */
const abandoned: Connection[] = []

class NodeSqliteDriver implements Driver {
  readonly files: OpenedFiles
  readonly #options: NodeSqliteOptions
  readonly #measurements: DatabaseMeasurements
  readonly #mutex = new Mutex()
  #writer: Connection | undefined
  #reader: Connection | undefined
  #disk: Disk = noWait
  #checkpoints: Checkpoints | undefined

  constructor(options: NodeSqliteOptions) {
    this.#options = options
    this.files = new OpenedFiles(options.path)
    this.#measurements = options.measurements ?? databaseMeasurements()
  }

  async init(): Promise<void> {
    const { path, synchronous, timeoutMs, groupCommit, checkpointThread } = this.#options
    const measurements = this.#measurements
    const writer = new Connection(path, { measurements })
    try {
      // Another process may be creating the file at the same moment.
      await retryWhileBusy(() => writer.exec('pragma journal_mode = wal'), new Deadline(timeoutMs))
      writer.synchronize(synchronous)
      writer.exec('pragma foreign_keys = on')
      // An import changes rows in random order and touches every page of an index in each batch:
      // with a small cache and frequent checkpoints the same pages would be written again and
      // again.
      writer.exec(`pragma cache_size = -${writerCacheKib}`)
      const maxLogPages = pagesPerCheckpoint * (checkpointThread ? 4 : 1)
      writer.exec(`pragma wal_autocheckpoint = ${maxLogPages}`)
      const reader = new Connection(path, { readOnly: true, measurements })
      this.#reader = reader
      measurements.pool = () => writerOf(this.#mutex)
      writer.run(firstRead) // opens the log, which stays the same file until both are closed
      this.files.opened()
      if (groupCommit && synchronous === 'full') {
        const group = new GroupCommit(`${path}-wal`, {
          ...{ flushFile: groupCommit, timeoutMs, failed: endProcess },
        })
        this.#disk = sharedWait(group, reader)
      }
    } catch (error) {
      writer.close()
      throw error
    }
    if (checkpointThread) {
      const enter = () => this.#mutex.enter(new Deadline(timeoutMs))
      this.#checkpoints = new Checkpoints({ path, enter, files: this.files })
    }
    this.#writer = writer
  }

  // A connection's data_version changes with the commits of other connections: the writer's with
  // those of other processes, the reader's also with those of the writer.
  // A commit whose wait has failed is unknown to this process, as one of another process is.
  foreignVersion(): number {
    return (this.#writer?.dataVersion() ?? 0) + this.#disk.timeouts()
  }

  version(): number {
    return this.#reader?.dataVersion() ?? 0
  }

  readAtOnce<R>(query: SqlText): QueryResult<R> | Promise<QueryResult<R>> | undefined {
    const { readsAtOnce = true } = this.#options
    const result = readsAtOnce ? this.#reader?.run<R>(query) : undefined
    const waiting = result && this.#disk.pending()
    return waiting ? waiting.then(() => result) : result
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
    const measurements = this.#measurements
    const openReader = () => new Connection(path, { readOnly: true, measurements })
    return new Lease({
      ...{ writer: this.#writer, reader: this.#reader, mutex: this.#mutex, disk: this.#disk },
      ...{ timeoutMs, synchronous, openReader, checkpoints: this.#checkpoints, measurements },
      files: this.files,
    })
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
    const [reader, writer, disk] = [this.#reader, this.#writer, this.#disk]
    const checkpoints = this.#checkpoints
    this.#reader = undefined
    this.#writer = undefined
    this.#checkpoints = undefined
    await disk.close()
    await checkpoints?.close()
    this.files.abandon()
    if (this.files.replaced() !== null) {
      // A close would copy the open log into the file at the path.
      for (const connection of [reader, writer]) if (connection) abandoned.push(connection)
      return
    }
    reader?.close()
    writer?.close()
    this.files.closed()
    this.#options.closed?.()
  }
}

/** The connection that writes, as the only one for which statements wait. */
function writerOf({ isOccupied, waiting }: Mutex): PoolState {
  return { busy: isOccupied ? 1 : 0, idle: isOccupied ? 0 : 1, max: 1, waiting }
}

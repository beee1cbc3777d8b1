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

/** A maximum: SQLite allocates gradually. */
const writerCacheKib = 16_384

export interface NodeSqliteOptions {
  readonly path: string
  /** How long a write waits for other writers. */
  readonly timeoutMs: number
  /** FULL survives a power loss. OFF is for temporary databases. */
  readonly synchronous: 'full' | 'off'
  /** Whether reads may bypass Kysely's connections, which a wrapping dialect observes. */
  readonly readsAtOnce?: boolean
  /** Flushes commits in groups; otherwise each waits alone. */
  readonly groupCommit?: FlushFile | undefined
  /** Checkpoints on a thread: see checkpoints.ts. */
  readonly checkpointThread?: boolean
  readonly measurements?: DatabaseMeasurements
  readonly closed?: () => void
}

/**
 * Kysely on node:sqlite in WAL mode: a reader that never waits for writers, a writer behind a
 * mutex, and a connection per read-only transaction. Lock waits do not block the event loop; with
 * `groupCommit`, disk waits do not either. Results are returned once all data that they depend on
 * is on disk.
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

  /** Changes with changes of other processes, or changes unknown to this process. */
  foreignVersion(): number {
    return this.#driver.foreignVersion()
  }

  /** Changes with changes of any process, including this one. */
  version(): number {
    return this.#driver.version()
  }

  /**
   * Shares the connections, but commits asynchronously: changes survive a kill, but not a power
   * loss. Opened and closed with this dialect.
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
 * Connections whose files were replaced, referenced so that garbage collection does not close them.
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
      // Another process may be creating the file.
      await retryWhileBusy(() => writer.exec('pragma journal_mode = wal'), new Deadline(timeoutMs))
      writer.synchronize(synchronous)
      writer.exec('pragma foreign_keys = on')
      // An import changes rows in random order: a small cache or frequent checkpoints would write
      // the same index pages repeatedly.
      writer.exec(`pragma cache_size = -${writerCacheKib}`)
      const maxLogPages = pagesPerCheckpoint * (checkpointThread ? 4 : 1)
      writer.exec(`pragma wal_autocheckpoint = ${maxLogPages}`)
      const reader = new Connection(path, { readOnly: true, measurements })
      this.#reader = reader
      measurements.pool = () => writerOf(this.#mutex)
      writer.run(firstRead) // opens the log; the file stays the same until both connections are closed
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

  // The writer's data_version changes with other processes' commits, the reader's also with the
  // writer's. A commit whose wait failed counts as foreign.
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
      // Closing would copy the open log into the new file.
      for (const connection of [reader, writer]) if (connection) abandoned.push(connection)
      return
    }
    reader?.close()
    writer?.close()
    this.files.closed()
    this.#options.closed?.()
  }
}

function writerOf({ isOccupied, waiting }: Mutex): PoolState {
  return { busy: isOccupied ? 1 : 0, idle: isOccupied ? 0 : 1, max: 1, waiting }
}

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
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely'
import { acquiringBy } from '../acquiring.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { Deadline, Mutex } from '../mutex.ts'
import { ReadingAdapter, type SqlText } from '../reading.ts'
import { Checkpoints, pagesPerCheckpoint } from './checkpoints.ts'
import { Connection, type Synchronous } from './connection.ts'
import { type FlushFile, GroupCommit } from './group-commit.ts'

const retryMs = 5
/** A maximum: SQLite allocates the cache as it fills. */
const writerCacheKib = 16_384

// BEGIN takes no snapshot, the first read does. https://sqlite.org/lang_transaction.html
const firstRead = CompiledQuery.raw('select count(*) from sqlite_schema')

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

  /** A number that changes when another process changes the database. */
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

class NodeSqliteDriver implements Driver {
  readonly #options: NodeSqliteOptions
  readonly #mutex = new Mutex()
  #writer: Connection | undefined
  #reader: Connection | undefined
  #disk: Disk = noWait
  #checkpoints: Checkpoints | undefined

  constructor(options: NodeSqliteOptions) {
    this.#options = options
  }

  async init(): Promise<void> {
    const { path, synchronous, timeoutMs, groupCommit, checkpointThread } = this.#options
    const writer = new Connection(path)
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
      const reader = new Connection(path, { readOnly: true })
      this.#reader = reader
      if (groupCommit && synchronous === 'full') {
        writer.run(firstRead) // opens the log, which stays the same file until both are closed
        const group = new GroupCommit(`${path}-wal`, { flushFile: groupCommit, failed: endProcess })
        this.#disk = sharedWait(group, reader)
      }
    } catch (error) {
      writer.close()
      throw error
    }
    if (checkpointThread) {
      const enter = () => this.#mutex.enter(new Deadline(timeoutMs))
      this.#checkpoints = new Checkpoints({ path, enter })
    }
    this.#writer = writer
  }

  // A connection's data_version changes with the commits of other connections: the writer's with
  // those of other processes, the reader's also with those of the writer.
  foreignVersion(): number {
    return this.#writer?.dataVersion() ?? 0
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
    const openReader = () => new Connection(path, { readOnly: true })
    return new Lease({
      ...{ writer: this.#writer, reader: this.#reader, mutex: this.#mutex, disk: this.#disk },
      ...{ timeoutMs, synchronous, openReader, checkpoints: this.#checkpoints },
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
    reader?.close()
    writer?.close()
  }
}

/** How the results of commits and reads wait for the disk. */
interface Disk {
  /** The mode of a commit that must survive a loss of power. */
  readonly full: Synchronous
  /**
   * After a commit: resolves when all that it may have read is on disk, and itself if it must be.
   * @throws DatabaseUnavailable
   */
  committed(mustBeOnDisk: boolean): Promise<void> | undefined
  /** Resolves when all that was committed is on disk; undefined if it is. @throws as above */
  pending(): Promise<void> | undefined
  close(): Promise<void> | undefined
}

/** Each commit waits by itself, and blocks the event loop. */
const noWait: Disk = {
  full: 'full',
  committed: () => undefined,
  pending: () => undefined,
  close: () => undefined,
}

function sharedWait(group: GroupCommit, reader: Connection): Disk {
  let version = reader.dataVersion()
  return {
    full: 'normal',
    committed(mustBeOnDisk) {
      const before = version
      version = reader.dataVersion()
      const hasChanged = version !== before
      return mustBeOnDisk && hasChanged ? group.committed() : group.pending()
    },
    pending: () => group.pending(),
    close: () => group.close(),
  }
}

/** Ends the process as an uncaught error does: requests under way are answered first. */
function endProcess(error: Error): void {
  setImmediate(() => {
    throw error
  })
}

interface LeaseOptions {
  readonly writer: Connection
  readonly reader: Connection
  readonly mutex: Mutex
  readonly disk: Disk
  readonly timeoutMs: number
  readonly synchronous: Synchronous
  readonly openReader: () => Connection
  readonly checkpoints: Checkpoints | undefined
}

/**
 * The connection of one query or transaction: the reader, the writer in its turn, or a snapshot.
 */
class Lease implements DatabaseConnection {
  readonly #options: LeaseOptions
  #snapshot: Connection | undefined
  #inTransaction = false
  #leave: (() => void) | undefined

  constructor(options: LeaseOptions) {
    this.#options = options
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { disk, mutex, reader, timeoutMs, writer } = this.#options
    if (this.#inTransaction) return writer.run(query)
    if (this.#snapshot || query.query.kind === 'SelectQueryNode') {
      const result = (this.#snapshot ?? reader).run<R>(query)
      await disk.pending()
      return result
    }
    const deadline = new Deadline(timeoutMs)
    const leave = await mutex.enter(deadline)
    let result: QueryResult<R>
    try {
      this.#synchronize()
      result = await retryWhileBusy(() => writer.run<R>(query), deadline)
    } catch (error) {
      leave()
      await disk.pending() // a row that is not on disk yet may be what it violates
      throw error
    }
    leave()
    await this.#onDisk('commit')
    return result
  }

  // biome-ignore lint/correctness/useYield: no query of this project is streamed by the driver
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in batches by key instead')
  }

  /** BEGIN IMMEDIATE: a transaction that begins as a reader could fail at its first write. */
  async begin(): Promise<void> {
    const { mutex, timeoutMs, writer } = this.#options
    const deadline = new Deadline(timeoutMs)
    const leave = await mutex.enter(deadline)
    try {
      this.#synchronize()
      await retryWhileBusy(() => writer.exec('begin immediate'), deadline)
    } catch (error) {
      leave()
      throw error
    }
    this.#inTransaction = true
    this.#leave = leave
  }

  /** Begins a transaction that sees one state of the database and blocks no writer. */
  beginSnapshot(): void {
    const snapshot = this.#options.openReader()
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
    // Kysely rolls back after a failed commit; another transaction may have the writer by then.
    if (!this.#inTransaction) return
    const { writer } = this.#options
    try {
      writer.exec(how)
    } catch (error) {
      // A failed commit (full disk) leaves the transaction open, an automatic rollback of SQLite
      // does not. In both cases the next transaction needs a connection without one.
      if (writer.isTransaction) writer.exec('rollback')
      if (how === 'commit') throw error
    } finally {
      this.#inTransaction = false
      this.#leave?.()
      this.#leave = undefined
    }
    await this.#onDisk(how)
  }

  #synchronize(): void {
    const { disk, synchronous, writer } = this.#options
    writer.synchronize(synchronous === 'full' ? disk.full : synchronous)
  }

  async #onDisk(how: 'commit' | 'rollback'): Promise<void> {
    const { checkpoints, disk, synchronous } = this.#options
    if (how === 'commit') checkpoints?.committed()
    await (how === 'commit' ? disk.committed(synchronous === 'full') : disk.pending())
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

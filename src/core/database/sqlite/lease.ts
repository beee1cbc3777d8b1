import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import type { DatabaseMeasurements } from '../../measurements/measurements.ts'
import type { QueryHints } from '../database.ts'
import { Deadline, type Mutex } from '../mutex.ts'
import { retryWhileBusy } from './busy.ts'
import type { Checkpoints } from './checkpoints.ts'
import type { Connection, Synchronous } from './connection.ts'
import type { Disk } from './disk.ts'
import type { OpenedFiles } from './opened-files.ts'

// The first read takes the snapshot, not BEGIN. https://sqlite.org/lang_transaction.html
export const firstRead = CompiledQuery.raw('select count(*) from sqlite_schema')

interface LeaseOptions {
  readonly writer: Connection
  readonly reader: Connection
  readonly mutex: Mutex
  readonly disk: Disk
  readonly timeoutMs: number
  readonly synchronous: Synchronous
  readonly openReader: () => Connection
  readonly checkpoints: Checkpoints | undefined
  readonly files: OpenedFiles
  readonly measurements: DatabaseMeasurements
}

/** The connection of a query or transaction: the reader, the writer, or a snapshot. */
export class Lease implements DatabaseConnection {
  readonly #options: LeaseOptions
  #snapshot: Connection | undefined
  #inTransaction = false
  #isDurable: boolean
  #leave: (() => void) | undefined

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#isDurable = options.synchronous === 'full'
  }

  async executeQuery<R>(query: CompiledQuery & QueryHints): Promise<QueryResult<R>> {
    const { disk, reader, timeoutMs, writer } = this.#options
    // Without group commit, the wait is decided when the transaction begins.
    if (query.isDurable && this.#options.synchronous === 'normal') this.#isDurable = true
    if (this.#inTransaction) return writer.run(query)
    if (this.#snapshot || query.query.kind === 'SelectQueryNode') {
      const result = (this.#snapshot ?? reader).run<R>(query)
      await disk.pending()
      return result
    }
    const deadline = new Deadline(timeoutMs)
    const leave = await this.#enter(deadline)
    let result: QueryResult<R>
    try {
      this.#prepare()
      result = await retryWhileBusy(() => writer.run<R>(query), deadline)
    } catch (error) {
      leave()
      await disk.pending() // the violated row may not be on disk yet
      throw error
    }
    leave()
    const beganAt = performance.now()
    await this.#onDisk('commit')
    this.#options.measurements.commits.observeSince(beganAt)
    return result
  }

  // biome-ignore lint/correctness/useYield: no query of this project is streamed by the driver
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in batches by key instead')
  }

  /** BEGIN IMMEDIATE: a transaction that begins as a reader could fail at its first write. */
  async begin(): Promise<void> {
    const { timeoutMs, writer } = this.#options
    const deadline = new Deadline(timeoutMs)
    const leave = await this.#enter(deadline)
    try {
      this.#prepare()
      await retryWhileBusy(() => writer.exec('begin immediate'), deadline)
    } catch (error) {
      leave()
      throw error
    }
    this.#inTransaction = true
    this.#leave = leave
  }

  /** Blocks no writer. */
  beginSnapshot(): void {
    this.#options.files.assertSame() // the new connection opens the file at the path
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
    // Kysely rolls back after a failed commit; by then another transaction may have the writer.
    if (!this.#inTransaction) return
    const { measurements, writer } = this.#options
    const beganAt = performance.now()
    try {
      writer.exec(how)
    } catch (error) {
      // A failed commit (full disk) leaves the transaction open; an automatic rollback of SQLite
      // does not.
      if (writer.isTransaction) writer.exec('rollback')
      if (how === 'commit') throw error
    } finally {
      this.#inTransaction = false
      this.#leave?.()
      this.#leave = undefined
    }
    await this.#onDisk(how)
    if (how === 'commit') measurements.commits.observeSince(beganAt)
  }

  async #enter(deadline: Deadline): Promise<() => void> {
    const { measurements, mutex } = this.#options
    const beganAt = performance.now()
    try {
      const leave = await mutex.enter(deadline)
      measurements.waits.observeSince(beganAt)
      return leave
    } catch (error) {
      measurements.failures += 1
      throw error
    }
  }

  #prepare(): void {
    const { disk, files, synchronous, writer } = this.#options
    files.assertSame()
    writer.synchronize(synchronous === 'full' ? disk.full : synchronous)
  }

  async #onDisk(how: 'commit' | 'rollback'): Promise<void> {
    const { checkpoints, disk, files } = this.#options
    if (how === 'rollback') return disk.pending()
    checkpoints?.committed()
    await disk.committed(this.#isDurable)
    files.assertSame() // a deleted log must not acknowledge commits
  }
}

/** @throws Error for a connection of another driver */
export function leaseOf(connection: DatabaseConnection): Lease {
  if (connection instanceof Lease) return connection
  throw new Error('not a connection of this driver')
}

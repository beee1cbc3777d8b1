import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Pool, PoolConfig } from 'pg'
import type { DatabaseMeasurements } from '../../measurements/measurements.ts'
import { acquiringBy } from '../acquiring.ts'
import { confirmedLater } from '../confirmations.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { Deadline } from '../mutex.ts'
import { deadlineToBegin, QueuedAdapter } from '../transactions.ts'
import { Lease, leaseOf, type PooledSession, within } from './lease.ts'
import type { Session } from './session.ts'

export interface PostgresDialectOptions {
  readonly connection: PoolConfig
  readonly poolMax: number
  /** For a connection, a lock, or an answer. */
  readonly timeoutMs: number
  readonly measurements: DatabaseMeasurements
  /** Called after a commit that may change rows kept by nodes: see node-lease.ts. */
  readonly confirmed: () => Promise<void>
  /** Called before the pool is closed. */
  readonly onClose: () => Promise<void>
}

// Releases the locks of a node that is gone.
const idleInTransactionMs = 10_000

/**
 * Kysely on pg, with one time limit for all waiting and the errors of ../errors.ts.
 * @throws DatabaseUnavailable from any query, within `timeoutMs`
 */
export class PooledPostgresDialect implements Dialect {
  readonly #driver: PooledDriver
  readonly #adapter: QueuedAdapter

  constructor(options: PostgresDialectOptions) {
    this.#driver = new PooledDriver(options)
    this.#adapter = new QueuedAdapter(withinMs(options.timeoutMs), options.confirmed)
  }

  /**
   * Shares the connections, but commits asynchronously: a crash of the server can lose the last
   * moments, a kill of the service cannot.
   */
  asyncCommit(): Dialect {
    return acquiringBy(this, () => this.#driver.acquire({ asyncCommit: true }))
  }

  createAdapter(): QueuedAdapter {
    return this.#adapter
  }

  createDriver(): Driver {
    return this.#driver
  }

  createQueryCompiler(): PostgresQueryCompiler {
    return new PostgresQueryCompiler()
  }

  // biome-ignore lint/suspicious/noExplicitAny: the signature is Kysely's
  createIntrospector(db: Kysely<any>): DatabaseIntrospector {
    return new PostgresIntrospector(db)
  }
}

class PooledDriver implements Driver {
  readonly #options: PostgresDialectOptions
  readonly #limitMs: number
  // Keeps the request that opened a connection from staying in memory.
  readonly #outside = AsyncLocalStorage.snapshot()
  #opening: Promise<Pool> | undefined

  constructor(options: PostgresDialectOptions) {
    this.#options = options
    this.#limitMs = withinMs(options.timeoutMs)
  }

  async init(): Promise<void> {
    await this.open()
  }

  /** Imports pg lazily: the import is slower than the rest of a start on SQLite. */
  open(): Promise<Pool> {
    this.#opening ??= this.#makePool()
    return this.#opening
  }

  async #makePool(): Promise<Pool> {
    const [{ default: pg }, { Session }] = await Promise.all([import('pg'), import('./session.ts')])
    const { connection, measurements, poolMax } = this.#options
    const maxIdleMs = Math.max(idleInTransactionMs, this.#limitMs)
    const pool = new pg.Pool({
      ...connection,
      Client: Session,
      max: poolMax,
      connectionTimeoutMillis: 2 * this.#limitMs, // ends attempts whose caller has given up
      keepAlive: true,
      // Not startup parameters, which a pooler may reject.
      onConnect: (client) => (client as Session).prepare(this.#limitMs, maxIdleMs),
    })
    pool.on('error', () => {}) // the pool replaces a lost idle connection
    measurements.pool = () => ({
      busy: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      max: poolMax,
      waiting: pool.waitingCount,
    })
    return pool
  }

  acquireConnection(): Promise<Lease> {
    return this.acquire()
  }

  async acquire({ asyncCommit = false } = {}): Promise<Lease> {
    const deadline = deadlineToBegin() ?? new Deadline(this.#limitMs)
    const pool = await this.open()
    const { measurements } = this.#options
    const beganAt = performance.now()
    const connecting = this.#outside(() => pool.connect())
    try {
      const session = (await within(deadline, connecting)) as PooledSession
      measurements.waits.observeSince(beganAt)
      return new Lease(session, { deadline, limitMs: this.#limitMs, asyncCommit, measurements })
    } catch (cause) {
      measurements.failures += 1
      connecting.then(
        (late) => late.release(),
        () => {},
      )
      throw new DatabaseUnavailable('no connection to the database', { cause })
    }
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    leaseOf(connection).begin()
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await leaseOf(connection).commit()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await leaseOf(connection).rollback()
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const lease = leaseOf(connection)
    lease.release()
    if (lease.needsConfirmation) await confirmedLater(this.#options.confirmed())
  }

  async destroy(): Promise<void> {
    await this.#options.onClose()
    const pool = await this.#opening
    await pool?.end()
  }
}

/** The database's share of the time limit, so that the response is sent in time. */
function withinMs(timeoutMs: number): number {
  return Math.max(1, Math.min(Math.floor(timeoutMs * 0.9), 2 ** 31 - 1))
}

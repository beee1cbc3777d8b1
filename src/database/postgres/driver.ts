import { AsyncLocalStorage } from 'node:async_hooks'
import type { Duplex } from 'node:stream'
import {
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { ClientBase, Pool, PoolConfig } from 'pg'
import { acquiringBy } from '../acquiring.ts'
import { DatabaseUnavailable } from '../errors.ts'
import { Deadline } from '../mutex.ts'
import { deadlineToBegin, QueuedAdapter } from '../transactions.ts'
import { Lease, leaseOf, within } from './lease.ts'
import { sessionSettings } from './server.ts'

export interface PostgresDialectOptions {
  readonly connection: PoolConfig
  readonly poolMax: number
  /** How long a statement waits for a connection, for a lock, or for its answer. */
  readonly timeoutMs: number
  /** Called when the dialect is destroyed, before the pool is closed. */
  readonly onClose: () => Promise<void>
}

const begin = 'begin isolation level read committed'
const asyncCommit = 'set local synchronous_commit = off'
// A transaction whose node is gone must release its locks.
const idleInTransactionMs = 10_000

/**
 * Kysely on pg, with one time limit for all waiting and errors translated to those of ../errors.ts.
 * @throws DatabaseUnavailable from any query, within `timeoutMs`
 */
export class PooledPostgresDialect implements Dialect {
  readonly #driver: PooledDriver
  readonly #adapter: QueuedAdapter

  constructor(options: PostgresDialectOptions) {
    this.#driver = new PooledDriver(options)
    this.#adapter = new QueuedAdapter(withinMs(options.timeoutMs))
  }

  /**
   * A dialect on the same connections whose commits do not wait for the disk: changes survive a
   * kill of the service; a crash of the server can undo those of the last moments.
   */
  asyncCommit(): Dialect {
    return acquiringBy(this, () => this.#driver.acquire(`${begin}; ${asyncCommit}`))
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
  // A connection outlives the request that opened it and must not keep that request in memory.
  readonly #outside = AsyncLocalStorage.snapshot()
  #opening: Promise<Pool> | undefined

  constructor(options: PostgresDialectOptions) {
    this.#options = options
    this.#limitMs = withinMs(options.timeoutMs)
  }

  async init(): Promise<void> {
    await this.open()
  }

  /** Imports pg only here: loading it takes longer than the rest of a start on SQLite. */
  open(): Promise<Pool> {
    this.#opening ??= import('pg').then(({ default: { Pool } }) => {
      const { connection, poolMax } = this.#options
      const maxIdleMs = Math.max(idleInTransactionMs, this.#limitMs)
      const settings = {
        text: sessionSettings(this.#limitMs, maxIdleMs),
        query_timeout: 2 * this.#limitMs,
      }
      const pool = new Pool({
        ...connection,
        max: poolMax,
        connectionTimeoutMillis: 2 * this.#limitMs, // ends attempts whose caller has given up
        keepAlive: true,
        // Not as startup parameters, which a pooler may refuse.
        onConnect: (client) => client.query(settings).catch((error) => refuse(client, error)),
      })
      pool.on('error', () => {}) // an idle connection was lost: the pool opens another when needed
      return pool
    })
    return this.#opening
  }

  acquireConnection(): Promise<Lease> {
    return this.acquire(begin)
  }

  async acquire(begin: string): Promise<Lease> {
    const deadline = deadlineToBegin() ?? new Deadline(this.#limitMs)
    const pool = await this.open()
    const connecting = this.#outside(() => pool.connect())
    try {
      return new Lease(await within(deadline, connecting), begin, deadline, this.#limitMs)
    } catch (cause) {
      connecting.then(
        (late) => late.release(),
        () => {},
      )
      throw new DatabaseUnavailable('no connection to the database', { cause })
    }
  }

  async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await leaseOf(connection).begin()
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await leaseOf(connection).commit()
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await leaseOf(connection).rollback()
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    leaseOf(connection).release()
  }

  async destroy(): Promise<void> {
    await this.#options.onClose()
    const pool = await this.#opening
    await pool?.end()
  }
}

/** The share of the time limit for the database, so that the answer is sent within all of it. */
function withinMs(timeoutMs: number): number {
  return Math.max(1, Math.min(Math.floor(timeoutMs * 0.9), 2 ** 31 - 1))
}

/**
 * Destroys the socket of a client whose session settings failed: the pool ends such a client
 * gracefully and would wait for a server that does not answer.
 */
function refuse(client: ClientBase, error: unknown): never {
  const { connection } = client as unknown as { connection: { stream: Duplex } } // as pg has it
  connection.stream.destroy()
  throw error
}

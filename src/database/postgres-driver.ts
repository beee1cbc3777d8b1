import {
  CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type Driver,
  type Kysely,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Pool, PoolClient, PoolConfig } from 'pg'
import { DatabaseUnavailable, TransactionConflict, UniqueViolation } from './errors.ts'
import { sessionSettings } from './postgres-server.ts'
import { deadlineToBegin, QueuedAdapter } from './transactions.ts'
import { Deadline } from './turnstile.ts'

export interface PostgresDialectOptions {
  readonly connection: PoolConfig
  readonly poolMax: number
  /** How long a statement waits for a connection, for a lock, or for its answer. */
  readonly timeoutMs: number
  /** Told when the last query was answered and the pool is closed. */
  readonly onClose: () => Promise<void>
}

// A transaction whose node is gone must not keep its locks.
const idleInTransactionMs = 10_000

/** First in a transaction whose statements may take as long as they need. */
export const unhurried = CompiledQuery.raw(
  'set local statement_timeout = 0; set local lock_timeout = 0',
)

/**
 * Kysely on pg, with a limit on all waiting and errors by the names that the stores know.
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
   * The same connections, for changes whose commits do not wait for the disk: they outlive a kill of
   * the service, and of the server but for the last moments.
   */
  unsynced(): Dialect {
    return {
      createAdapter: () => this.createAdapter(),
      createDriver: () => new UnsyncedDriver(this.#driver),
      createQueryCompiler: () => this.createQueryCompiler(),
      createIntrospector: (db) => this.createIntrospector(db),
    }
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
  #opening: Promise<Pool> | undefined

  constructor(options: PostgresDialectOptions) {
    this.#options = options
    this.#limitMs = withinMs(options.timeoutMs)
  }

  async init(): Promise<void> {
    await this.open()
  }

  /** pg is loaded by whoever needs it: it takes longer than the rest of a start on SQLite. */
  open(): Promise<Pool> {
    this.#opening ??= import('pg').then(({ default: { Pool } }) => {
      const { connection, poolMax } = this.#options
      const patienceMs = Math.max(idleInTransactionMs, this.#limitMs)
      const settings = {
        text: sessionSettings(this.#limitMs, patienceMs),
        query_timeout: 2 * this.#limitMs,
      }
      const pool = new Pool({
        ...connection,
        max: poolMax,
        connectionTimeoutMillis: 2 * this.#limitMs, // of one that nobody waits for any more
        keepAlive: true,
        // Not as parameters of the start: a pooler in between may refuse those.
        onConnect: (client) => client.query(settings),
      })
      pool.on('error', () => {}) // an idle connection was lost: the pool makes another when needed
      return pool
    })
    return this.#opening
  }

  acquireConnection(): Promise<Lease> {
    return this.acquire('begin isolation level read committed')
  }

  async acquire(begin: string): Promise<Lease> {
    const deadline = deadlineToBegin() ?? new Deadline(this.#limitMs)
    const pool = await this.open()
    const connecting = pool.connect()
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

/** A view of a driver that somebody else opens and closes. */
class UnsyncedDriver implements Driver {
  readonly #driver: PooledDriver

  constructor(driver: PooledDriver) {
    this.#driver = driver
  }

  async init(): Promise<void> {}

  acquireConnection(): Promise<DatabaseConnection> {
    return this.#driver.acquire(
      'begin isolation level read committed; set local synchronous_commit = off',
    )
  }

  beginTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.beginTransaction(connection)
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.commitTransaction(connection)
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.rollbackTransaction(connection)
  }

  releaseConnection(connection: DatabaseConnection): Promise<void> {
    return this.#driver.releaseConnection(connection)
  }

  async destroy(): Promise<void> {}
}

/** One connection for one query or one transaction. */
class Lease implements DatabaseConnection {
  readonly #client: PoolClient
  readonly #begin: string
  readonly #limitMs: number
  #deadline: Deadline | undefined
  #isHurried = true
  #isLost = false

  constructor(client: PoolClient, begin: string, deadline: Deadline, limitMs: number) {
    this.#client = client
    this.#begin = begin
    this.#deadline = deadline
    this.#limitMs = limitMs
    client.on('error', this.#onError)
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (query.sql === unhurried.sql) this.#isHurried = false
    const { rows, rowCount, command } = await this.#send<R>(query.sql, query.parameters)
    const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
    return changes ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows }
  }

  // biome-ignore lint/correctness/useYield: no query of this project is streamed by the driver
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in batches by key instead')
  }

  async begin(): Promise<void> {
    await this.#send(this.#begin)
  }

  async commit(): Promise<void> {
    const { command } = await this.#send('commit')
    // The server answers so where a statement of the transaction had failed.
    if (command === 'ROLLBACK') throw new Error('the transaction was rolled back, not committed')
  }

  /** What made it necessary is told; that it failed as well is not. */
  async rollback(): Promise<void> {
    if (!this.#isLost) await this.#send('rollback').catch(() => this.#lose())
  }

  release(): void {
    this.#client.off('error', this.#onError)
    this.#client.release(this.#isLost)
  }

  readonly #onError = () => this.#lose()

  #lose(): void {
    this.#isLost = true
  }

  async #send<R>(text: string, parameters: readonly unknown[] = []) {
    // The first statement shares its time with the wait for the connection.
    const deadline = this.#deadline ?? new Deadline(this.#limitMs)
    this.#deadline = undefined
    const values = parameters.map(bindable)
    try {
      // Without values several statements may come as one: then there are several results.
      const answer = this.#client.query(values.length > 0 ? { text, values } : { text })
      const result = this.#isHurried ? await within(deadline, answer) : await answer
      return result as typeof result & { rows: R[] } // as the query says
    } catch (error) {
      const { answer, isLost } = translated(error)
      if (isLost) this.#lose()
      throw answer
    }
  }
}

/** How much of the time limit the database may take, so that the answer is out within all of it. */
export function withinMs(timeoutMs: number): number {
  return Math.max(1, Math.min(Math.floor(timeoutMs * 0.9), 2 ** 31 - 1))
}

/** @throws Error where the answer does not come in time */
async function within<T>(deadline: Deadline, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    // An answer that came while this process was busy is read before it is given up.
    setImmediate(() => setImmediate(reject, new Error('no answer in time')))
  }, deadline.leftMs())
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
    answer.catch(() => {}) // it may still fail when nobody waits any more
  }
}

function leaseOf(connection: DatabaseConnection): Lease {
  if (connection instanceof Lease) return connection
  throw new Error('not a connection of this driver')
}

/** As on SQLite: what has no place in a column is refused, rather than made into text in silence. */
function bindable(value: unknown): unknown {
  switch (typeof value) {
    case 'number':
      if (Number.isNaN(value)) throw new TypeError('NaN cannot be bound')
      return value
    case 'string':
    case 'bigint':
      return value
  }
  if (value === null || value instanceof Uint8Array || Array.isArray(value)) return value
  throw new TypeError(`a parameter of type ${typeof value} cannot be bound`)
}

// https://www.postgresql.org/docs/current/errcodes-appendix.html
const uniqueViolation = '23505'
const conflicts = new Set(['40001', '40P01'])
// Connection, resources, operator, system; read-only after a failover; waited too long; not allowed in.
const unavailable =
  /^(08...|53...|57P..|58...|XX00[012]|25006|25P0[34]|55P03|57014|28...|3D000|42501)$/
// The connection goes on after these.
const stays = new Set(['53100', '55P03', '57014', '25006', '42501'])

function translated(error: unknown): { answer: unknown; isLost: boolean } {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const isOfServer = error instanceof Error && 'severity' in error && typeof code === 'string'
  if (!isOfServer) {
    const answer = new DatabaseUnavailable('the database does not answer', { cause: error })
    return { answer, isLost: true }
  }
  if (code === uniqueViolation)
    return { answer: new UniqueViolation({ cause: error }), isLost: false }
  if (conflicts.has(code)) {
    return { answer: new TransactionConflict({ cause: error }), isLost: false }
  }
  if (unavailable.test(code)) {
    const isBusy = code === '55P03'
    const answer = new DatabaseUnavailable(error.message, { cause: error, isBusy })
    return { answer, isLost: !stays.has(code) }
  }
  return { answer: error, isLost: false }
}

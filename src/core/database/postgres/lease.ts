import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import type { PoolClient } from 'pg'
import type { DatabaseMeasurements } from '../../measurements/measurements.ts'
import type { QueryHints } from '../database.ts'
import {
  CommitRefused,
  DatabaseDamaged,
  DatabaseUnavailable,
  TransactionConflict,
} from '../errors.ts'
import { Deadline } from '../mutex.ts'
import { translated } from './errors.ts'
import { type Answer, isPlain, isSingle, type Message, type Statement } from './message.ts'
import type { Session } from './session.ts'
import { encoded } from './values.ts'

/** For the following statements of a transaction. */
export const withoutTimeouts = CompiledQuery.raw(
  'set local statement_timeout = 0; set local lock_timeout = 0',
)

const begin: Statement = { text: 'begin isolation level read committed', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }
const commitStatement: Statement = { text: 'commit', values: [] }
const asyncCommit: Statement = { text: 'set local synchronous_commit = off', values: [] }

export type PooledSession = PoolClient & Session

export interface LeaseOptions {
  /** For the connection and the first statement. */
  readonly deadline: Deadline
  /** For each further statement. */
  readonly limitMs: number
  readonly asyncCommit?: boolean
  readonly measurements: DatabaseMeasurements
}

/** A connection for one query or transaction. */
export class Lease implements DatabaseConnection {
  readonly #session: PooledSession
  readonly #limitMs: number
  #asyncCommit: boolean
  readonly #measurements: DatabaseMeasurements
  #deadline: Deadline | undefined
  #hasTimeout = true
  #isLost = false
  #isTransaction = false
  #hasBegun = false
  /** Sent with the next statement, or with the commit. */
  #deferred: Statement[] = []
  /** Whether they include more than the beginning and locks, which need no commit. */
  #defersChange = false
  #needsConfirmation = false

  constructor(session: PooledSession, options: LeaseOptions) {
    const { deadline, limitMs, asyncCommit = false, measurements } = options
    this.#session = session
    this.#measurements = measurements
    this.#deadline = deadline
    this.#limitMs = limitMs
    this.#asyncCommit = asyncCommit
    session.hasChanged = false // may be left from a statement that failed
    session.on('error', this.#onError)
  }

  /** Whether a committed change may concern rows kept by nodes. */
  get needsConfirmation(): boolean {
    return this.#needsConfirmation
  }

  async executeQuery<R>(query: CompiledQuery & QueryHints): Promise<QueryResult<R>> {
    if (query.sql === withoutTimeouts.sql) this.#hasTimeout = false
    const { sql: text, isKept = false, isDeferred = false, isDurable = false } = query
    if (isDurable) this.#asyncCommit = false
    const statement = { text, values: query.parameters.map(encoded), isKept }
    if (isDeferred && this.#isTransaction) {
      this.#defersChange ||= isDurable
      this.#deferred.push(statement)
      return { rows: [] }
    }
    const { command, rowCount, ...answer } = await this.#execute(statement)
    const rows = answer.rows as R[]
    const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
    return changes ? { rows, numAffectedRows: BigInt(rowCount) } : { rows }
  }

  // biome-ignore lint/correctness/useYield: no query of this project is streamed by the driver
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in batches by key instead')
  }

  /** Deferred: sent with the first statement. */
  begin(): void {
    this.#isTransaction = true
    this.#deferred = [begin]
  }

  async commit(): Promise<void> {
    if (!this.#hasBegun && !this.#defersChange) return
    const hasDeferred = this.#deferred.length > 0
    const beganAt = performance.now()
    if (this.#asyncCommit) this.#deferred.push(asyncCommit)
    const message = await this.#sent(commitStatement)
    try {
      await this.#answerTo(message)
      this.#measurements.commits.observeSince(beganAt)
    } catch (error) {
      throw hasDeferred ? asUnavailable(error, message) : error
    }
    this.#takeChange()
    // The answer after a failed statement.
    if (message.completed.includes('ROLLBACK')) {
      throw new Error('the transaction was rolled back, not committed')
    }
  }

  /** Never throws: the caller throws the original error. */
  async rollback(): Promise<void> {
    if (this.#isLost || !this.#hasBegun) return
    await this.#answerTo(this.#session.transmit(rollback)).catch(() => this.#lose())
  }

  release(): void {
    this.#session.off('error', this.#onError)
    this.#session.release(this.#isLost)
  }

  readonly #onError = () => this.#lose()

  #lose(): void {
    this.#isLost = true
  }

  async #execute(statement: Statement): Promise<Answer> {
    const answer = await this.#answered(statement)
    if (!this.#isTransaction) this.#takeChange()
    return answer
  }

  /** Retries once if the session lost the prepared statement. */
  async #answered(statement: Statement): Promise<Answer> {
    const message = await this.#sent(statement)
    try {
      return await this.#answerTo(message)
    } catch (error) {
      if (!message.isForgotten) throw error
      // A conflict is retried.
      if (this.#isTransaction) throw new TransactionConflict({ cause: error })
      return this.#answerTo(this.#session.transmit(statement))
    }
  }

  /** Sends deferred statements in the same message if possible, otherwise before. */
  async #sent(statement: Statement): Promise<Message> {
    const deferred = this.#deferred
    this.#deferred = []
    this.#hasBegun ||= deferred.length > 0
    const canJoin = isSingle(statement) || deferred.every(isPlain)
    if (this.#session.isDirect && canJoin) return this.#session.transmit(statement, deferred)
    for (const each of deferred) await this.#answerTo(this.#session.transmit(each))
    return this.#session.transmit(statement)
  }

  #takeChange(): void {
    this.#needsConfirmation ||= this.#session.hasChanged
    this.#session.hasChanged = false
  }

  async #answerTo({ answer }: Message): Promise<Answer> {
    // The first statement shares the deadline of the wait for the connection.
    const deadline = this.#deadline ?? new Deadline(this.#limitMs)
    this.#deadline = undefined
    const beganAt = performance.now()
    try {
      const given = this.#hasTimeout ? await within(deadline, answer) : await answer
      this.#measurements.statements.observeSince(beganAt)
      return given
    } catch (error) {
      const { answer, isLost } = translated(error)
      if (answer instanceof DatabaseUnavailable) this.#measurements.failures += 1
      if (answer instanceof DatabaseDamaged) this.#measurements.damage.note(answer.message)
      if (isLost) this.#lose()
      throw answer
    }
  }
}

/** The error of a deferred statement: no caller can interpret it. */
function asUnavailable(cause: unknown, { isForgotten }: Message): unknown {
  if (isForgotten) return new TransactionConflict({ cause }) // retried
  if (cause instanceof DatabaseUnavailable) return cause
  return new CommitRefused('a statement that goes with the commit has failed', { cause })
}

/** @throws Error if the connection belongs to another driver */
export function leaseOf(connection: DatabaseConnection): Lease {
  if (connection instanceof Lease) return connection
  throw new Error('not a connection of this driver')
}

/** @throws Error at the deadline */
export async function within<T>(deadline: Deadline, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    // Lets the event loop first read an answer that arrived while this process was busy.
    setImmediate(() => setImmediate(reject, new Error('no answer in time')))
  }, deadline.leftMs())
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
    answer.catch(() => {}) // it may fail after the deadline
  }
}

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
import { type Answer, isPlain, type Message, type Statement } from './message.ts'
import { notify } from './notification.ts'
import type { Session } from './session.ts'
import { encoded } from './values.ts'

/** Disables the time limits of the statements that follow in a transaction. */
export const withoutTimeouts = CompiledQuery.raw(
  'set local statement_timeout = 0; set local lock_timeout = 0',
)

const begin: Statement = { text: 'begin isolation level read committed', values: [] }
const rollback: Statement = { text: 'rollback', values: [] }
const commitStatement: Statement = { text: 'commit', values: [] }
const asyncCommit: Statement = { text: 'set local synchronous_commit = off', values: [] }

export type PooledSession = PoolClient & Session

export interface LeaseOptions {
  /** Of the wait for the connection, and of the first statement. */
  readonly deadline: Deadline
  /** For each further statement. */
  readonly limitMs: number
  /** Whether its transactions commit without waiting for the disk. */
  readonly asyncCommit?: boolean
  readonly measurements: DatabaseMeasurements
}

/** One connection for one query or one transaction. */
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
  /** Statements that are sent with the next one, or with the commit. */
  #deferred: Statement[] = []
  /** Whether one of them is more than the beginning and its locks, which alone need no commit. */
  #defersChange = false
  #needsNotification = false

  constructor(session: PooledSession, options: LeaseOptions) {
    const { deadline, limitMs, asyncCommit = false, measurements } = options
    this.#session = session
    this.#measurements = measurements
    this.#deadline = deadline
    this.#limitMs = limitMs
    this.#asyncCommit = asyncCommit
    session.on('error', this.#onError)
  }

  /** Whether it has committed a change that other nodes must be told of, and are not. */
  get needsNotification(): boolean {
    return this.#needsNotification
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
    const rows = answer.rows as R[] // as the query says
    const changes = command === 'INSERT' || command === 'UPDATE' || command === 'DELETE'
    return changes ? { rows, numAffectedRows: BigInt(rowCount) } : { rows }
  }

  // biome-ignore lint/correctness/useYield: no query of this project is streamed by the driver
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('read in batches by key instead')
  }

  /** Sends nothing yet: the beginning goes with the first statement. */
  begin(): void {
    this.#isTransaction = true
    this.#deferred = [begin]
  }

  /**
   * Commits, and notifies the other nodes in the same message, of what the triggers have told this
   * session. The notification is a transaction of its own: inside the other one, it would take a
   * lock of the whole cluster until the disk has the commit.
   */
  async commit(): Promise<void> {
    if (!this.#hasBegun && !this.#defersChange) return
    const notifies = this.#session.hasChanged
    const hasDeferred = this.#deferred.length > 0
    const beganAt = performance.now()
    const message = await this.#sentCommit(notifies)
    try {
      await this.#answerTo(message)
      this.#measurements.commits.observeSince(beganAt)
    } catch (error) {
      if (!message.completed.includes('COMMIT')) {
        throw hasDeferred ? asUnavailable(error, message) : error
      }
      this.#needsNotification = true
    }
    // A deferred statement may have made the change.
    if (this.#session.hasChanged && !notifies) this.#needsNotification = true
    this.#session.hasChanged = false
    // The server answers so if a statement of the transaction has failed.
    if (message.completed.includes('ROLLBACK')) {
      throw new Error('the transaction was rolled back, not committed')
    }
  }

  /** Sends the commit, and with it what was deferred to it. */
  async #sentCommit(notifies: boolean): Promise<Message> {
    const commit = this.#asyncCommit ? [asyncCommit, commitStatement] : [commitStatement]
    const statements = notifies ? [...commit, { text: notify, values: [] }] : commit
    const deferred = this.#deferred
    this.#deferred = []
    if (this.#session.isDirect && !deferred.every(isPlain)) {
      this.#hasBegun = true
      const all = [...deferred, ...statements]
      return this.#session.transmit(all.at(-1) ?? commitStatement, all.slice(0, -1))
    }
    this.#hasBegun ||= deferred.length > 0
    for (const each of deferred) await this.#answerTo(this.#session.transmit(each))
    // One message, as a plain text.
    const text = statements.map((each) => each.text).join(';')
    return this.#session.transmit({ text, values: [] })
  }

  /** Never throws: the caller throws the error that made the rollback necessary. */
  async rollback(): Promise<void> {
    this.#session.hasChanged = false
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
    if (!this.#isTransaction && this.#session.hasChanged) await this.#tell()
    return answer
  }

  /** Sends a statement, and once more if the session no longer keeps it. */
  async #answered(statement: Statement): Promise<Answer> {
    const message = await this.#sent(statement)
    try {
      return await this.#answerTo(message)
    } catch (error) {
      if (!message.isForgotten) throw error
      // As a conflict, it is begun anew.
      if (this.#isTransaction) throw new TransactionConflict({ cause: error })
      return this.#answerTo(this.#session.transmit(statement))
    }
  }

  /** Sends a statement with those that were deferred, or after them if that is not possible. */
  async #sent(statement: Statement): Promise<Message> {
    const deferred = this.#deferred
    this.#deferred = []
    this.#hasBegun ||= deferred.length > 0
    const canJoin = !isPlain(statement) || deferred.every(isPlain)
    if (this.#session.isDirect && canJoin) return this.#session.transmit(statement, deferred)
    for (const each of deferred) await this.#answerTo(this.#session.transmit(each))
    return this.#session.transmit(statement)
  }

  /** Notifies the other nodes of a statement without a transaction, which has committed by itself. */
  async #tell(): Promise<void> {
    this.#session.hasChanged = false
    await this.#answerTo(this.#session.transmit({ text: notify, values: [] })).catch(() => {
      this.#needsNotification = true
    })
  }

  async #answerTo({ answer }: Message): Promise<Answer> {
    // The first statement shares its deadline with the wait for the connection.
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

/** The error of a statement that no caller waited for: none knows what else it means. */
function asUnavailable(cause: unknown, { isForgotten }: Message): unknown {
  if (isForgotten) return new TransactionConflict({ cause }) // it is begun anew
  if (cause instanceof DatabaseUnavailable) return cause
  return new CommitRefused('a statement that goes with the commit has failed', { cause })
}

/** Narrows a connection to a lease of this driver. @throws Error if it belongs to another one */
export function leaseOf(connection: DatabaseConnection): Lease {
  if (connection instanceof Lease) return connection
  throw new Error('not a connection of this driver')
}

/** Waits for the answer until the deadline. @throws Error if it does not come in time */
export async function within<T>(deadline: Deadline, answer: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    // An answer that arrived while this process was busy must win: the event loop reads it first.
    setImmediate(() => setImmediate(reject, new Error('no answer in time')))
  }, deadline.leftMs())
  try {
    return await Promise.race([answer, promise])
  } finally {
    clearTimeout(timer)
    answer.catch(() => {}) // it may still fail after the deadline
  }
}

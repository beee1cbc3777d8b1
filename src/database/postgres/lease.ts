import { CompiledQuery, type DatabaseConnection, type QueryResult } from 'kysely'
import type { PoolClient } from 'pg'
import { bindable } from '../bindable.ts'
import { Deadline } from '../mutex.ts'
import { translated } from './errors.ts'

/** Disables the time limits of the statements that follow in a transaction. */
export const withoutTimeouts = CompiledQuery.raw(
  'set local statement_timeout = 0; set local lock_timeout = 0',
)

/** One connection for one query or one transaction. */
export class Lease implements DatabaseConnection {
  readonly #client: PoolClient
  readonly #begin: string
  readonly #limitMs: number
  #deadline: Deadline | undefined
  #hasTimeout = true
  #isLost = false

  constructor(client: PoolClient, begin: string, deadline: Deadline, limitMs: number) {
    this.#client = client
    this.#begin = begin
    this.#deadline = deadline
    this.#limitMs = limitMs
    client.on('error', this.#onError)
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    if (query.sql === withoutTimeouts.sql) this.#hasTimeout = false
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
    // The server answers so if a statement of the transaction has failed.
    if (command === 'ROLLBACK') throw new Error('the transaction was rolled back, not committed')
  }

  /** Never throws: the caller throws the error that made the rollback necessary. */
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
    // The first statement shares its deadline with the wait for the connection.
    const deadline = this.#deadline ?? new Deadline(this.#limitMs)
    this.#deadline = undefined
    const values = parameters.map((value) => (Array.isArray(value) ? value : bindable(value)))
    try {
      // Without values, one text may hold several statements: then there are several results.
      const answer = this.#client.query(values.length > 0 ? { text, values } : { text })
      const result = this.#hasTimeout ? await within(deadline, answer) : await answer
      return result as typeof result & { rows: R[] } // as the query says
    } catch (error) {
      const { answer, isLost } = translated(error)
      if (isLost) this.#lose()
      throw answer
    }
  }
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

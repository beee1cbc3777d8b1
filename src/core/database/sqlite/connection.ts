import { DatabaseSync, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import type { QueryResult } from 'kysely'
import { type DatabaseMeasurements, databaseMeasurements } from '../../measurements/measurements.ts'
import { bindable } from '../bindable.ts'
import { DatabaseDamaged, DatabaseUnavailable, UniqueViolation } from '../errors.ts'
import type { SqlText } from '../reading.ts'

// https://sqlite.org/rescode.html
const busy = 5
const unavailable = new Set([busy, 6, 8, 10, 13, 14]) // LOCKED READONLY IOERR FULL CANTOPEN
const damaged = new Set([11, 26]) // CORRUPT NOTADB
const uniqueViolations = new Set([1555, 2067]) // CONSTRAINT_PRIMARYKEY, CONSTRAINT_UNIQUE

const maxStatements = 200

/** https://sqlite.org/pragma.html#pragma_synchronous */
export type Synchronous = 'full' | 'normal' | 'off'

interface ConnectionOptions {
  readonly readOnly?: boolean
  readonly measurements?: DatabaseMeasurements
}

/** A DatabaseSync with prepared statements. Calls are synchronous and short. */
export class Connection {
  readonly #db: DatabaseSync
  readonly #measurements: DatabaseMeasurements
  readonly #statements = new Map<string, Prepared>()
  #synchronous: Synchronous | undefined

  constructor(path: string, { readOnly = false, measurements }: ConnectionOptions = {}) {
    this.#measurements = measurements ?? databaseMeasurements()
    try {
      this.#db = new DatabaseSync(path, { timeout: 0, readOnly })
    } catch (error) {
      throw this.#translated(error)
    }
  }

  get isTransaction(): boolean {
    return this.#db.isTransaction
  }

  exec(statement: string): void {
    try {
      this.#db.exec(statement)
    } catch (error) {
      throw this.#translated(error)
    }
  }

  /** Not inside a transaction. */
  synchronize(mode: Synchronous): void {
    if (this.#synchronous === mode) return
    this.exec(`pragma synchronous = ${mode}`)
    this.#synchronous = mode
  }

  run<R>(query: SqlText): QueryResult<R> {
    const beganAt = performance.now()
    const result = this.#run<R>(query)
    this.#measurements.statements.observeSince(beganAt)
    return result
  }

  #run<R>({ sql, parameters }: SqlText): QueryResult<R> {
    try {
      const { statement, columns } = this.#prepare(sql)
      const bound = parameters.map(bindable)
      if (columns.length > 0) {
        const rows = statement.all(...bound) as unknown[] as SQLOutputValue[][] // by setReturnArrays
        if (rows.length === 0) return { rows: [] }
        // Another process may have added a column since the statement was prepared.
        const names = rows[0]?.length === columns.length ? columns : columnsOf(statement)
        return { rows: rows.map((values) => rowOf(names, values)) as R[] }
      }
      const { changes, lastInsertRowid } = statement.run(...bound)
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) }
    } catch (error) {
      throw this.#translated(error)
    }
  }

  /**
   * Changes when another connection commits. Never cached: the process can be paused at any moment,
   * and a request after the pause needs a version read after its arrival.
   * https://sqlite.org/pragma.html#pragma_data_version
   * @throws DatabaseUnavailable
   */
  dataVersion(): number {
    try {
      const row: unknown = this.#prepare('pragma data_version').statement.get()
      const [version] = row as SQLOutputValue[] // by setReturnArrays
      return Number(version)
    } catch (error) {
      throw this.#translated(error)
    }
  }

  close(): void {
    this.#statements.clear()
    this.#db.close()
  }

  #translated(error: unknown): unknown {
    const answer = translated(error)
    // A busy file is retried.
    if (answer instanceof DatabaseUnavailable && !answer.isBusy) this.#measurements.failures += 1
    if (answer instanceof DatabaseDamaged) this.#measurements.damage.note(answer.message)
    return answer
  }

  #prepare(sql: string): Prepared {
    const kept = this.#statements.get(sql)
    if (kept) return kept
    const statement = this.#db.prepare(sql)
    // node:sqlite's row objects have no prototype and need 50% more memory.
    statement.setReturnArrays(true)
    const prepared = { statement, columns: columnsOf(statement) }
    if (this.#statements.size >= maxStatements) {
      const [oldest] = this.#statements.keys()
      if (oldest !== undefined) this.#statements.delete(oldest)
    }
    this.#statements.set(sql, prepared)
    return prepared
  }
}

function columnsOf(statement: StatementSync): string[] {
  return statement.columns().map(({ name }) => name)
}

function rowOf(columns: readonly string[], values: readonly SQLOutputValue[]) {
  const row: Record<string, SQLOutputValue | undefined> = {}
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index]
  return row
}

interface Prepared {
  readonly statement: StatementSync
  readonly columns: readonly string[]
}

function translated(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error
  const code = Number(error.errcode)
  if (uniqueViolations.has(code)) return new UniqueViolation({ cause: error })
  const primary = code & 0xff // the primary code is the lowest byte
  if (damaged.has(primary)) return new DatabaseDamaged(error.message, { cause: error })
  if (unavailable.has(primary)) {
    return new DatabaseUnavailable(error.message, { cause: error, isBusy: primary === busy })
  }
  return error
}

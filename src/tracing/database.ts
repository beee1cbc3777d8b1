import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  DialectAdapter,
  Driver,
  QueryResult,
} from 'kysely'
import { ReadingAdapter, type SqlText } from '../database/reading.ts'
import { beginSpan } from '../events/context.ts'
import type { Span } from '../events/trace-context.ts'

/** The databases, by their names in OpenTelemetry's semantic conventions. */
export type DatabaseSystem = 'sqlite' | 'postgresql'

/**
 * Wraps a dialect: each transaction and each statement of a request that is exported is a span of it.
 * A statement is told as it is prepared, without its values. Work that is not exported gets the
 * connections of the dialect itself.
 */
export function tracedDialect(dialect: Dialect, system: DatabaseSystem): Dialect {
  return {
    createAdapter: () => tracedAdapter(dialect.createAdapter(), system),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver: () => tracedDriver(dialect.createDriver(), system),
  }
}

/** Reads of SQLite that bypass its connections pass here. */
function tracedAdapter(adapter: DialectAdapter, system: DatabaseSystem): DialectAdapter {
  if (!(adapter instanceof ReadingAdapter)) return adapter
  return new ReadingAdapter(<R>(query: SqlText) => {
    const span = beginStatement(null, query.sql, system)
    if (!span) return adapter.readAtOnce<R>(query)
    try {
      const result = adapter.readAtOnce<R>(query)
      if (result instanceof Promise) return during(span, result)
      span.end()
      return result
    } catch (error) {
      span.fail(typeOf(error))
      span.end()
      throw error
    }
  })
}

function tracedDriver(driver: Driver, system: DatabaseSystem): Driver {
  const beginTransaction: Driver['beginTransaction'] = async (given, settings) => {
    if (!(given instanceof TracedConnection)) return driver.beginTransaction(given, settings)
    const span = beginSpan('transaction', 'internal', { 'db.system.name': system })
    given.transaction = span
    try {
      await driver.beginTransaction(given.connection, settings)
    } catch (error) {
      given.endTransaction('not begun', error)
      throw error
    }
  }
  const commitTransaction: Driver['commitTransaction'] = async (given) => {
    if (!(given instanceof TracedConnection)) return driver.commitTransaction(given)
    try {
      await driver.commitTransaction(given.connection)
      given.endTransaction('commit')
    } catch (error) {
      given.endTransaction('rollback', error)
      throw error
    }
  }
  const rollbackTransaction: Driver['rollbackTransaction'] = async (given) => {
    if (!(given instanceof TracedConnection)) return driver.rollbackTransaction(given)
    // What made it necessary is told by the statement that failed, or is a refusal and no failure.
    await driver
      .rollbackTransaction(given.connection)
      .finally(() => given.endTransaction('rollback'))
  }
  return {
    init: (options) => driver.init(options),
    destroy: (options) => driver.destroy(options),
    acquireConnection(options) {
      const wait = beginSpan('connection', 'internal', { 'db.system.name': system })
      if (!wait) return driver.acquireConnection(options)
      return during(wait, driver.acquireConnection(options)).then(
        (connection) => new TracedConnection(connection, system),
      )
    },
    beginTransaction,
    commitTransaction,
    rollbackTransaction,
    releaseConnection: (given, options) =>
      driver.releaseConnection(
        given instanceof TracedConnection ? given.connection : given,
        options,
      ),
  }
}

/** A connection, for one use by a request that is exported. */
class TracedConnection implements DatabaseConnection {
  readonly connection: DatabaseConnection
  transaction: Span | null = null
  readonly #system: DatabaseSystem

  constructor(connection: DatabaseConnection, system: DatabaseSystem) {
    this.connection = connection
    this.#system = system
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const span = beginStatement(this.transaction, query.sql, this.#system)
    const result = this.connection.executeQuery<R>(query)
    return span ? during(span, result) : result
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.connection.streamQuery(query, chunkSize)
  }

  endTransaction(outcome: 'commit' | 'rollback' | 'not begun', error?: unknown): void {
    this.transaction?.set('gatehouse.transaction.outcome', outcome)
    if (error !== undefined) this.transaction?.fail(typeOf(error))
    this.transaction?.end()
    this.transaction = null
  }
}

const maxTextLength = 2048

/** Begins the span of a statement, within its transaction or the request. */
function beginStatement(
  transaction: Span | null,
  sql: string,
  system: DatabaseSystem,
): Span | null {
  const begin = transaction ? transaction.begin.bind(transaction) : beginSpan
  const span = begin('statement', system === 'sqlite' ? 'internal' : 'client')
  if (!span) return null
  const [, operation = ''] = /^\s*(\w+)/.exec(sql) ?? []
  const [, table = ''] = /\b(?:from|into|update|join)\s+"?(\w+)/i.exec(sql) ?? []
  const summary = `${operation.toUpperCase()} ${table}`.trim()
  span.rename(summary)
  span.set('db.system.name', system)
  span.set('db.operation.name', operation.toUpperCase())
  if (table !== '') span.set('db.collection.name', table)
  span.set('db.query.text', sql.slice(0, maxTextLength).trim())
  return span
}

async function during<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    span.fail(typeOf(error))
    throw error
  } finally {
    span.end()
  }
}

/** The class of an error. Its message may hold values. */
function typeOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

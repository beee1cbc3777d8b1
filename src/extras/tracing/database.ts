import type {
  CompiledQuery,
  DatabaseConnection,
  Dialect,
  DialectAdapter,
  Driver,
  QueryResult,
} from 'kysely'
import { ReadingAdapter, type SqlText } from '../../core/database/reading.ts'
import { beginSpan, isExported } from '../../core/events/context.ts'
import type { Span } from '../../core/events/trace-context.ts'

/** Names of OpenTelemetry's semantic conventions. */
export type DatabaseSystem = 'sqlite' | 'postgresql'

/**
 * Adds a span per transaction and statement of exported requests, with the prepared text and no
 * values. Other work uses the dialect's connections directly.
 */
export function tracedDialect(dialect: Dialect, system: DatabaseSystem): Dialect {
  return {
    createAdapter: () => tracedAdapter(dialect.createAdapter(), system),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
    createDriver: () => tracedDriver(dialect.createDriver(), system),
  }
}

/** SQLite reads that bypass connections. */
function tracedAdapter(adapter: DialectAdapter, system: DatabaseSystem): DialectAdapter {
  if (!(adapter instanceof ReadingAdapter)) return adapter
  return new ReadingAdapter(<R>(query: SqlText) => {
    const span = isExported() ? beginStatement(null, query.sql, system) : null
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
    given.transaction = beginSpan('transaction', 'internal', {
      'db.system.name': system,
      'gatehouse.connection.wait_ms': given.waitMs,
    })
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
    // The failed statement reports the cause, or the rollback is a refusal and no failure.
    await driver
      .rollbackTransaction(given.connection)
      .finally(() => given.endTransaction('rollback'))
  }
  return {
    init: (options) => driver.init(options),
    destroy: (options) => driver.destroy(options),
    acquireConnection(options) {
      if (!isExported()) return driver.acquireConnection(options)
      const askedAt = performance.now()
      return driver
        .acquireConnection(options)
        .then((given) => new TracedConnection(given, system, performance.now() - askedAt))
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

class TracedConnection implements DatabaseConnection {
  readonly connection: DatabaseConnection
  readonly waitMs: number
  transaction: Span | null = null
  readonly #system: DatabaseSystem

  constructor(connection: DatabaseConnection, system: DatabaseSystem, waitMs: number) {
    this.connection = connection
    this.#system = system
    this.waitMs = waitMs
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

function beginStatement(
  transaction: Span | null,
  sql: string,
  system: DatabaseSystem,
): Span | null {
  const { summary, ...told } = describe(sql)
  const attributes = { 'db.system.name': system, ...told }
  const kind = system === 'sqlite' ? 'internal' : 'client'
  return transaction
    ? transaction.begin(summary, kind, attributes)
    : beginSpan(summary, kind, attributes)
}

const maxTextLength = 2048
const maxDescribed = 500
const described = new Map<string, ReturnType<typeof describeAnew>>()

/** Cached: texts repeat. */
function describe(sql: string): ReturnType<typeof describeAnew> {
  const known = described.get(sql)
  if (known) return known
  if (described.size >= maxDescribed) described.clear()
  const made = describeAnew(sql)
  described.set(sql, made)
  return made
}

function describeAnew(sql: string) {
  const [, word = ''] = /^\s*(\w+)/.exec(sql) ?? []
  const operation = word.toUpperCase()
  const table = tableOf(sql)
  return {
    summary: `${operation} ${table ?? ''}`.trim(),
    'db.operation.name': operation,
    ...(table !== undefined && { 'db.collection.name': table }),
    'db.query.text': sql.slice(0, maxTextLength).trim(),
  }
}

/** The first table outside all parentheses. */
function tableOf(sql: string): string | undefined {
  let depth = 0
  for (const [found, table] of sql.matchAll(/[()]|\b(?:from|into|update|join)\s+"?(\w+)/gi)) {
    if (found === '(') depth += 1
    else if (found === ')') depth -= 1
    else if (depth === 0) return table
  }
  return undefined
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

/** The class only: messages may contain values. */
function typeOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown'
}

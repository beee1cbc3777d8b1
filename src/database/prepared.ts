import { type Compilable, type CompiledQuery, type Expression, sql } from 'kysely'
import type { DatabaseOrTransaction, QueryHints } from './database.ts'
import { ReadingAdapter } from './reading.ts'

/** The parameters of a prepared query, as expressions for the function that builds it. */
export type Parameters<Values> = { readonly [Name in keyof Values]: Expression<Values[Name]> }

/** A query that is compiled once for each database, and executed with other values each time. */
export interface Prepared<Values, Row> {
  all(db: DatabaseOrTransaction, values: Values): Promise<Row[]>
  /** Answers the first row, undefined if there is none. */
  first(db: DatabaseOrTransaction, values: Values): Promise<Row | undefined>
  /** Answers the first row. @throws Error if there is none */
  one(db: DatabaseOrTransaction, values: Values): Promise<Row>
}

/**
 * Prepares a query: to build and compile it for each request costs several times what SQLite needs
 * to run it. `build` is called once for each database, so that its query must not depend on
 * anything but its parameters, which are always bound and never part of the text.
 */
export function prepared<Values extends object, Row>(
  build: (db: DatabaseOrTransaction, parameters: Parameters<Values>) => Compilable<Row>,
): Prepared<Values, Row> {
  // A database and its transactions share the adapter of their dialect.
  const compiled = new WeakMap<object, Template<Row>>()

  function compile(db: DatabaseOrTransaction, adapter: object): Template<Row> {
    const query = { ...build(db, byName()).compile(), isKept: true }
    const isRead = query.query.kind === 'SelectQueryNode'
    const template: Template<Row> = { query, places: query.parameters, isRead }
    compiled.set(adapter, template)
    return template
  }

  function rowsOf(db: DatabaseOrTransaction, values: Values): Row[] | Promise<Row[]> {
    const { adapter, plugins } = db.getExecutor()
    const { query, places, isRead } = compiled.get(adapter) ?? compile(db, adapter)
    const given = values as Readonly<Record<string, unknown>> // its keys are the parameters' names
    const parameters = places.map((place) =>
      place instanceof Parameter ? given[place.name] : place,
    )
    const isPlain = isRead && !db.isTransaction && plugins.length === 0
    if (isPlain && adapter instanceof ReadingAdapter) {
      const result = adapter.readAtOnce<Row>({ sql: query.sql, parameters })
      if (result) return result.rows
    }
    return db.executeQuery<Row>({ ...query, parameters }).then(({ rows }) => rows)
  }

  return {
    all: async (db, values) => rowsOf(db, values),
    first: async (db, values) => (await rowsOf(db, values))[0],
    async one(db, values) {
      const [row] = await rowsOf(db, values)
      if (row === undefined) throw new Error('a query has answered no row')
      return row
    },
  }
}

interface Template<Row> {
  readonly query: CompiledQuery<Row> & QueryHints
  /** A parameter, or the value of a constant of the query. */
  readonly places: readonly unknown[]
  /** Whether it is a select. */
  readonly isRead: boolean
}

class Parameter {
  readonly name: string

  constructor(name: string) {
    this.name = name
  }
}

function byName<Values extends object>(): Parameters<Values> {
  return new Proxy({} as Parameters<Values>, {
    get: (_target, name) => sql`${new Parameter(String(name))}`,
  })
}

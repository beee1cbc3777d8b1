import { type Compilable, type CompiledQuery, type Expression, sql } from 'kysely'
import type { DatabaseOrTransaction, QueryHints } from './database.ts'
import { ReadingAdapter } from './reading.ts'

export type Parameters<Values> = { readonly [Name in keyof Values]: Expression<Values[Name]> }

/** Compiled once per database, executed with different values. */
export interface Prepared<Values, Row> {
  all(db: DatabaseOrTransaction, values: Values): Promise<Row[]>
  first(db: DatabaseOrTransaction, values: Values): Promise<Row | undefined>
  /** @throws Error if there is no row */
  one(db: DatabaseOrTransaction, values: Values): Promise<Row>
}

/**
 * Building and compiling costs several times SQLite's execution. `build` is called once per
 * database (with plugins, each time), so its query must depend on its parameters alone, which are
 * always bound.
 */
export function prepared<Values extends object, Row>(
  build: (db: DatabaseOrTransaction, parameters: Parameters<Values>) => Compilable<Row>,
  hints: QueryHints = {},
): Prepared<Values, Row> {
  // A database and its transactions share the dialect's adapter.
  const compiled = new WeakMap<object, Template<Row>>()

  function compile(db: DatabaseOrTransaction): Template<Row> {
    const { adapter, plugins } = db.getExecutor()
    const isShared = plugins.length === 0
    const query = { ...hints, ...build(db, byName()).compile(), isKept: isShared }
    const isRead = query.query.kind === 'SelectQueryNode'
    const template: Template<Row> = { query, places: query.parameters, isRead }
    if (isShared) compiled.set(adapter, template)
    return template
  }

  function rowsOf(db: DatabaseOrTransaction, values: Values): Row[] | Promise<Row[]> {
    const { adapter, plugins } = db.getExecutor()
    // A plugin such as `withSchema` changes the text, and may vary.
    const isShared = plugins.length === 0
    const { query, places, isRead } = (isShared && compiled.get(adapter)) || compile(db)
    const parameters = places.map((place) =>
      place instanceof Parameter ? place.valueIn(values) : place,
    )
    if (isRead && isShared && !db.isTransaction && adapter instanceof ReadingAdapter) {
      const result = adapter.readAtOnce<Row>({ sql: query.sql, parameters })
      if (result instanceof Promise) return result.then(({ rows }) => rows)
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

export type ListParameters<Lists extends Record<string, readonly object[]>> = {
  readonly [Name in keyof Lists]: readonly Parameters<Lists[Name][number]>[]
}

/** Compiled once per list length. */
export interface PreparedForLists<Lists, Values, Row> {
  all(db: DatabaseOrTransaction, lists: Lists, values: Values): Promise<Row[]>
}

/**
 * For queries with lists, such as `in (...)`. Lengths must be few small numbers, never chosen by a
 * caller.
 */
export function preparedForLists<
  Lists extends Record<string, readonly object[]>,
  Values extends object,
  Row,
>(
  build: (
    db: DatabaseOrTransaction,
    lists: ListParameters<Lists>,
    parameters: Parameters<Values>,
  ) => Compilable<Row>,
  hints: QueryHints = {},
): PreparedForLists<Lists, Values, Row> {
  const queries = new Map<string, Prepared<object, Row>>()

  function queryFor(lists: Lists, lengths: string): Prepared<object, Row> {
    const named = Object.entries(lists).map(([list, things]) => [
      list,
      things.map((_, index) => byName('lists', list, String(index))),
    ])
    const places: ListParameters<Lists> = Object.fromEntries(named)
    const others = byName<Values>('more')
    const query = prepared<object, Row>((db) => build(db, places, others), hints)
    queries.set(lengths, query)
    return query
  }

  return {
    all(db, lists, more) {
      let lengths = ''
      for (const things of Object.values(lists)) lengths += ` ${things.length}`
      return (queries.get(lengths) ?? queryFor(lists, lengths)).all(db, { lists, more })
    },
  }
}

interface Template<Row> {
  readonly query: CompiledQuery<Row> & QueryHints
  /** A parameter or constant. */
  readonly places: readonly unknown[]
  readonly isRead: boolean
}

class Parameter {
  readonly path: readonly string[]

  constructor(path: readonly string[]) {
    this.path = path
  }

  /** Avoids copying the values under other names. */
  valueIn(values: object): unknown {
    let value: unknown = values
    for (const name of this.path) value = (value as Readonly<Record<string, unknown>>)[name]
    return value
  }
}

function byName<Values extends object>(...path: readonly string[]): Parameters<Values> {
  return new Proxy({} as Parameters<Values>, {
    get: (_target, name) => sql`${new Parameter([...path, String(name)])}`,
  })
}

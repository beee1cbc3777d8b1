import { type CompiledQuery, type QueryResult, SqliteAdapter } from 'kysely'

/**
 * Runs a select outside a transaction, without waiting; a promise if it may have seen a commit that
 * is not on disk yet; undefined if it must go through Kysely: the database is not open, or its
 * dialect is wrapped.
 * @throws DatabaseUnavailable
 */
export type ReadAtOnce = <R>(query: SqlText) => QueryResult<R> | Promise<QueryResult<R>> | undefined

/** What SQLite needs of a query. */
export type SqlText = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * The adapter of a database whose reads never wait. `prepared` reads by it directly: to lease a
 * connection from Kysely takes a dozen turns of promises, which cost more than most reads.
 */
export class ReadingAdapter extends SqliteAdapter {
  readonly readAtOnce: ReadAtOnce

  constructor(readAtOnce: ReadAtOnce) {
    super()
    this.readAtOnce = readAtOnce
  }

  override get supportsMultipleConnections(): boolean {
    return true // the driver's mutex orders the writers
  }
}

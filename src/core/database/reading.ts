import { type CompiledQuery, type QueryResult, SqliteAdapter } from 'kysely'

/**
 * Runs a select outside a transaction without waiting; a promise if the commit it saw may not be on
 * disk; undefined if Kysely must run the query: closed database or wrapped dialect.
 * @throws DatabaseUnavailable
 */
export type ReadAtOnce = <R>(query: SqlText) => QueryResult<R> | Promise<QueryResult<R>> | undefined

export type SqlText = Pick<CompiledQuery, 'sql' | 'parameters'>

/**
 * `prepared` reads through this adapter directly: leasing a Kysely connection costs more than most
 * reads.
 */
export class ReadingAdapter extends SqliteAdapter {
  readonly readAtOnce: ReadAtOnce

  constructor(readAtOnce: ReadAtOnce) {
    super()
    this.readAtOnce = readAtOnce
  }

  override get supportsMultipleConnections(): boolean {
    return true // the driver's mutex orders writers
  }
}

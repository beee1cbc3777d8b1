import { Kysely } from 'kysely'
import type { Connected, ConnectOptions } from '../database.ts'
import type { Schema } from '../schema.ts'
import { connectionOf, type PostgresAddress } from './address.ts'
import { PooledPostgresDialect } from './driver.ts'
import { createPostgresFeed } from './feed.ts'
import { assertTakesChanges } from './server.ts'

export interface PostgresOptions extends Pick<ConnectOptions, 'timeoutMs' | 'wrap'> {
  readonly address: PostgresAddress
  readonly poolMax: number
}

/** Connects at the first query; while the server is away, queries throw DatabaseUnavailable. */
export function connectPostgres({
  address,
  poolMax,
  timeoutMs,
  wrap = (given) => given,
}: PostgresOptions): Connected {
  const connection = { ...connectionOf(address), types }
  const feed = createPostgresFeed(connection)
  const dialect = new PooledPostgresDialect({
    connection,
    poolMax,
    timeoutMs,
    onClose: feed.close,
  })
  const db = new Kysely<Schema>({ dialect: wrap(dialect) })
  return {
    db,
    asyncCommitDb: new Kysely<Schema>({ dialect: wrap(dialect.asyncCommit()) }),
    feed,
    assertDatabaseServes: () => assertTakesChanges(db),
  }
}

// https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
const numbers = new Set([20, 21, 23, 700, 701, 1700]) // int8 int2 int4 float4 float8 numeric
const bool = 16
const bytea = 17

/**
 * Parsers that answer the same JavaScript types as SQLite. They are an option of these connections,
 * because pg's own table of parsers is shared by the whole process.
 */
const types = {
  getTypeParser(oid: number): (text: string) => unknown {
    if (numbers.has(oid)) return Number
    if (oid === bool) return (text) => (text === 't' ? 1 : 0)
    if (oid === bytea) return (text) => Buffer.from(text.slice(2), 'hex')
    return (text) => text
  },
}

import { type Dialect, Kysely } from 'kysely'
import { databaseMeasurements } from '../../measurements/measurements.ts'
import type { Connected, ConnectOptions } from '../database.ts'
import type { Schema } from '../schema.ts'
import { connectionOf, type PostgresAddress } from './address.ts'
import { PooledPostgresDialect } from './driver.ts'
import { createNodeLease } from './node-lease.ts'
import { assertTakesChanges } from './server.ts'
import { parserOf } from './values.ts'

export interface PostgresOptions
  extends Pick<ConnectOptions, 'measurements' | 'timeoutMs' | 'wrap' | 'observe' | 'nodes'> {
  readonly address: PostgresAddress
  readonly poolMax: number
}

/** Connects at the first query; throws DatabaseUnavailable while the server is unreachable. */
export function connectPostgres({
  address,
  poolMax,
  timeoutMs,
  nodes,
  measurements = databaseMeasurements(),
  wrap = (given) => given,
  observe = (given) => given,
}: PostgresOptions): Connected {
  const connection = { ...connectionOf(address), types }
  const feed = createNodeLease(connection, nodes)
  const dialect = new PooledPostgresDialect({
    connection,
    poolMax,
    timeoutMs,
    measurements,
    confirmed: feed.confirmed,
    onClose: feed.close,
  })
  const connected = (given: Dialect) => new Kysely<Schema>({ dialect: observe(wrap(given)) })
  const db = connected(dialect)
  return {
    db,
    asyncCommitDb: connected(dialect.asyncCommit()),
    feed,
    assertDatabaseServes: () => assertTakesChanges(db),
  }
}

/** pg's own parsers are shared by the whole process. */
const types = {
  getTypeParser: (oid: number) => parserOf(oid) ?? ((text: string) => text),
}

import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { Database } from './database.ts'
import type { PostgresAddress } from './postgres/address.ts'
import { connectPostgres } from './postgres/connect.ts'
import type { Schema } from './schema.ts'
import { databaseFileName } from './sqlite/connect.ts'
import { NodeSqliteDialect } from './sqlite/dialect.ts'

/** The settings of a database that a thread needs. */
export interface ThreadDatabase {
  readonly dataDirectory: string
  /** Undefined: the SQLite file. */
  readonly postgres: PostgresAddress | undefined
  readonly timeoutMs: number
}

/**
 * Opens the database in a thread. Only SQLite opens and closes the file: `connect` also closes a
 * descriptor of its own, which would release the locks of all connections of the process.
 */
export function connectThread({ dataDirectory, postgres, timeoutMs }: ThreadDatabase): Database {
  if (postgres) return connectPostgres({ address: postgres, poolMax: 2, timeoutMs }).db
  const path = join(dataDirectory, databaseFileName)
  return new Kysely<Schema>({
    dialect: new NodeSqliteDialect({ path, timeoutMs, synchronous: 'full' }),
  })
}

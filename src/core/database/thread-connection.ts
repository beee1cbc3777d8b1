import { join } from 'node:path'
import { Kysely } from 'kysely'
import type { Database } from './database.ts'
import type { PostgresAddress } from './postgres/address.ts'
import { connectPostgres } from './postgres/connect.ts'
import type { Schema } from './schema.ts'
import { databaseFileName } from './sqlite/connect.ts'
import { NodeSqliteDialect } from './sqlite/dialect.ts'

export interface ThreadDatabase {
  readonly dataDirectory: string
  /** Undefined for SQLite. */
  readonly postgres: PostgresAddress | undefined
  readonly timeoutMs: number
}

/**
 * Only SQLite opens the file: `connect` also closes a descriptor, which would release all locks of
 * the process.
 */
export function connectThread({ dataDirectory, postgres, timeoutMs }: ThreadDatabase): Database {
  if (postgres) return connectPostgres({ address: postgres, poolMax: 2, timeoutMs }).db
  const path = join(dataDirectory, databaseFileName)
  return new Kysely<Schema>({
    dialect: new NodeSqliteDialect({ path, timeoutMs, synchronous: 'full' }),
  })
}

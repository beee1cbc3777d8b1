import { join } from 'node:path'
import { Kysely } from 'kysely'
import { Secret } from '../crypto/secret.ts'
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
 * Opens the database for a thread alone. SQLite's file is opened and closed by SQLite alone: to close a
 * descriptor of its own, as `connect` does, would release the locks of all connections of the process.
 */
export function connectThread({ dataDirectory, postgres, timeoutMs }: ThreadDatabase): Database {
  if (postgres) return connectPostgres({ address: postgres, poolMax: 2, timeoutMs }).db
  const path = join(dataDirectory, databaseFileName)
  return new Kysely<Schema>({
    dialect: new NodeSqliteDialect({ path, timeoutMs, synchronous: 'full' }),
  })
}

const secretField = ' secret'

/** Converts settings for a message to a thread: a message cannot hold objects with methods. */
export function serializeConfig(value: unknown): unknown {
  if (value instanceof Secret) return { [secretField]: value.reveal() }
  return ofFields(value, serializeConfig)
}

/** Converts the message back to settings, in the thread. */
export function deserializeConfig(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && secretField in value) {
    return new Secret(String(value[secretField]))
  }
  return ofFields(value, deserializeConfig)
}

function ofFields(value: unknown, convert: (field: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, convert(field)]))
}

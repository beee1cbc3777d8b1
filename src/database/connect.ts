import type { Connected, ConnectOptions } from './database.ts'
import { connectPostgres } from './postgres/connect.ts'
import { connectSqlite } from './sqlite/connect.ts'

const poolMax = 10

/**
 * Opens PostgreSQL if its address is set, otherwise the SQLite file.
 * @throws Error as `connectSqlite`
 */
export function connect(options: ConnectOptions): Connected {
  const { postgres: address } = options
  return address ? connectPostgres({ poolMax, ...options, address }) : connectSqlite(options)
}

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseUnavailable } from '../errors.ts'
import { databaseFileName } from './connect.ts'
import { Connection } from './connection.ts'

/**
 * @throws Error if any process, including this one, has the database open, or if the database is
 * missing
 */
export function assertUnused(dataDirectory: string): void {
  const path = join(dataDirectory, databaseFileName)
  if (!existsSync(path)) throw new Error(`there is no database at ${path}: is DATA_DIR right?`)
  const connection = new Connection(path)
  try {
    // In WAL mode, every open connection holds a shared lock. https://sqlite.org/wal.html#noshm
    connection.exec('pragma locking_mode = exclusive')
    connection.exec('begin exclusive')
    connection.exec('rollback')
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable && error.isBusy)) throw error
    throw new Error(`${path} is in use: stop the service first`, { cause: error })
  } finally {
    connection.close()
  }
}

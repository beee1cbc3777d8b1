import { closeSync, constants, fdatasync, mkdirSync, openSync, statSync } from 'node:fs'
import { access, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Dialect, Kysely } from 'kysely'
import { databaseMeasurements } from '../../measurements/measurements.ts'
import type { Connected, ConnectOptions } from '../database.ts'
import { DatabaseReadOnly, DatabaseUnavailable } from '../errors.ts'
import type { Schema } from '../schema.ts'
import { NodeSqliteDialect } from './dialect.ts'
import { sharedReads } from './shared-reads.ts'

export const databaseFileName = 'gatehouse.db'

/**
 * Opens `DATA_DIR/gatehouse.db`; creates it and its directory (mode 0700) if they are missing.
 * @throws Error that names DATA_DIR if it cannot be created; Error if other users can read the file
 */
export function connectSqlite({
  dataDirectory,
  timeoutMs,
  synchronous = 'full',
  groupCommit = false,
  checkpointThread = false,
  measurements = databaseMeasurements(),
  wrap,
  observe = (given) => given,
}: ConnectOptions): Connected {
  try {
    mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Error(`DATA_DIR ${dataDirectory} is no folder and cannot be made`, { cause: error })
  }
  const path = join(dataDirectory, databaseFileName)
  closeSync(openSync(path, 'a', 0o600)) // SQLite would create it readable for all users
  assertPrivate(path)
  const { dev, ino } = statSync(path)
  const dialect = new NodeSqliteDialect({
    ...{ path, timeoutMs, synchronous, readsAtOnce: !wrap },
    groupCommit: groupCommit ? fdatasync : undefined,
    checkpointThread,
    measurements,
  })
  const connected = (given: Dialect) =>
    new Kysely<Schema>({ dialect: observe(wrap?.(given) ?? given) })
  return {
    db: connected(dialect),
    asyncCommitDb: connected(dialect.asyncCommit()),
    feed: sharedReads({
      version: () => dialect.foreignVersion(),
      anyVersion: () => dialect.version(),
    }),
    assertDatabaseServes: () => assertDatabaseFile(path, { dev, ino }),
  }
}

/** The file holds password hashes and personal data. @throws Error if other users can read it */
function assertPrivate(path: string): void {
  if (statSync(path).mode & 0o077) {
    throw new Error(`${path} can be read by other users: chmod 600 it`)
  }
}

// https://sqlite.org/fileformat.html#magic_header_string
const magic = 'SQLite format 3\0'

/** @throws DatabaseUnavailable unless the file is the one that was opened; DatabaseReadOnly */
async function assertDatabaseFile(
  path: string,
  opened: { readonly dev: number; readonly ino: number },
): Promise<void> {
  try {
    await using file = await open(path)
    const { dev, ino } = await file.stat()
    // What this process writes would be lost with the file that it has open.
    if (dev !== opened.dev || ino !== opened.ino) throw new Error('it is another file')
    const { buffer } = await file.read({ buffer: Buffer.alloc(magic.length), position: 0 })
    if (buffer.toString('latin1') !== magic) throw new Error('it has another header')
  } catch (error) {
    throw new DatabaseUnavailable('the database file cannot be read', { cause: error })
  }
  try {
    for (const place of [path, dirname(path)]) await access(place, constants.W_OK)
  } catch (error) {
    throw new DatabaseReadOnly('the database file cannot be written', { cause: error })
  }
}

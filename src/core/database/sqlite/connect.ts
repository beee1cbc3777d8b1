import { constants, fdatasync, mkdirSync, statSync } from 'node:fs'
import { access } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Dialect, Kysely } from 'kysely'
import { databaseMeasurements } from '../../measurements/measurements.ts'
import type { ChangeFeed, Connected, ConnectOptions } from '../database.ts'
import { DatabaseReadOnly, DatabaseUnavailable } from '../errors.ts'
import type { Schema } from '../schema.ts'
import { NodeSqliteDialect } from './dialect.ts'
import { type KeptFile, keepFile } from './kept-file.ts'
import type { OpenedFiles } from './opened-files.ts'

export const databaseFileName = 'gatehouse.db'

/**
 * Opens `DATA_DIR/gatehouse.db`; creates a missing file and directory (mode 0700).
 * @throws Error that names DATA_DIR; Error if other users can read the file
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
  makeDataDirectory(dataDirectory)
  const path = join(dataDirectory, databaseFileName)
  const file = keepFile(path) // SQLite would create a world-readable file
  try {
    assertPrivate(path)
  } catch (error) {
    file.release()
    throw error
  }
  const dialect = new NodeSqliteDialect({
    ...{ path, timeoutMs, synchronous, readsAtOnce: !wrap },
    groupCommit: groupCommit ? fdatasync : undefined,
    checkpointThread,
    measurements,
    closed: () => file.release(),
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
    databaseFiles: dialect.files,
    assertDatabaseServes: () => assertDatabaseFile(path, { file, files: dialect.files }),
  }
}

/**
 * Mode 0700. Returns the first created folder.
 * @throws Error that names DATA_DIR
 */
export function makeDataDirectory(dataDirectory: string): string | undefined {
  try {
    return mkdirSync(dataDirectory, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new Error(`DATA_DIR ${dataDirectory} is no folder and cannot be made`, { cause: error })
  }
}

/** @throws Error if other users can read the password hashes and personal data */
function assertPrivate(path: string): void {
  if (statSync(path).mode & 0o077) {
    throw new Error(`${path} can be read by other users: chmod 600 it`)
  }
}

// https://sqlite.org/fileformat.html#magic_header_string
const magic = 'SQLite format 3\0'

/** @throws DatabaseReplaced, DatabaseReadOnly; DatabaseUnavailable if the file is no database */
async function assertDatabaseFile(
  path: string,
  { file, files }: { readonly file: KeptFile; readonly files: OpenedFiles },
): Promise<void> {
  files.assertSame()
  try {
    const head = await file.head(magic.length)
    if (head.toString('latin1') !== magic) throw new Error('it has another header')
  } catch (error) {
    throw new DatabaseUnavailable('the database file cannot be read', { cause: error })
  }
  try {
    for (const place of [path, dirname(path)]) await access(place, constants.W_OK)
  } catch (error) {
    throw new DatabaseReadOnly('the database file cannot be written', { cause: error })
  }
}

/** Reads the numbers from the file once for work that is done together, otherwise at each call. */
export function sharedReads(read: Pick<ChangeFeed, 'version' | 'anyVersion'>): ChangeFeed {
  let isTogether = false
  let version: number | undefined
  let anyVersion: number | undefined

  return {
    isCurrent: () => true,
    version() {
      if (!isTogether) return read.version()
      version ??= read.version()
      return version
    },
    anyVersion() {
      if (!isTogether) return read.anyVersion()
      anyVersion ??= read.anyVersion()
      return anyVersion
    },
    together(work) {
      isTogether = true
      try {
        work()
      } finally {
        isTogether = false
        version = undefined
        anyVersion = undefined
      }
    },
  }
}

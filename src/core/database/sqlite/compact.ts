import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseUnavailable } from '../errors.ts'
import { Deadline } from '../mutex.ts'
import { retryWhileBusy } from './busy.ts'
import { databaseFileName } from './connect.ts'
import { Connection } from './connection.ts'

/** Bytes of the file and its log. */
export interface Compacted {
  readonly before: number
  readonly after: number
}

export type Wait = (milliseconds: number) => Promise<void>

/** How long to wait for a writer of another process. */
const busyMs = 60_000
const truncateEveryMs = 50

/**
 * Rewrites the database without deleted data: rows, full-text index and write-ahead log. Other
 * commands can read; writes wait.
 * @throws DatabaseUnavailable if the file is busy or the disk has no space for a copy; the database
 * is unchanged, or only the log remains
 */
export async function compactSqlite(dataDirectory: string, wait: Wait): Promise<Compacted> {
  const path = join(dataDirectory, databaseFileName)
  const before = sizeOf(path)
  const connection = new Connection(path)
  const deadline = new Deadline(busyMs)
  try {
    connection.exec('pragma secure_delete = on')
    // Merges to one segment, without words of deleted rows.
    for (const index of ['users_search', 'accounts_search']) {
      const optimize = `insert into ${index} (${index}) values ('optimize')`
      await retryWhileBusy(() => connection.exec(optimize), deadline)
    }
    await retryWhileBusy(() => connection.exec('vacuum'), deadline)
    // The log keeps old pages until readers finish.
    while (!isTruncated(connection)) {
      if (deadline.leftMs() === 0) {
        throw new DatabaseUnavailable('the log is in use by other processes: try again', {
          isBusy: true,
        })
      }
      await wait(truncateEveryMs)
    }
  } finally {
    connection.close()
  }
  return { before, after: sizeOf(path) }
}

function isTruncated(connection: Connection): boolean {
  const query = { sql: 'pragma wal_checkpoint(truncate)', parameters: [] }
  const [row] = connection.run<{ busy: number }>(query).rows
  return row?.busy === 0
}

function sizeOf(path: string): number {
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
  return statSync(path).size + log
}

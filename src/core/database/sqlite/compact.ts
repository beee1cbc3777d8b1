import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseUnavailable } from '../errors.ts'
import { Deadline } from '../mutex.ts'
import { retryWhileBusy } from './busy.ts'
import { databaseFileName } from './connect.ts'
import { Connection } from './connection.ts'

/** What the file and its log held before and after, in bytes. */
export interface Compacted {
  readonly before: number
  readonly after: number
}

/** Waits for a moment. */
export type Wait = (milliseconds: number) => Promise<void>

/** How long another process may write before the attempt is given up. */
const busyMs = 60_000
const truncateEveryMs = 50

/**
 * Writes the database file anew without what was deleted: rows, their traces in the full-text index,
 * and the write-ahead log, which is emptied. Other commands can read at the same time; their writes wait.
 * @throws DatabaseUnavailable if other processes keep the file busy, or the disk has no place for a
 * second copy; then the database is as it was, or the log is left
 */
export async function compactSqlite(dataDirectory: string, wait: Wait): Promise<Compacted> {
  const path = join(dataDirectory, databaseFileName)
  const before = sizeOf(path)
  const connection = new Connection(path)
  const deadline = new Deadline(busyMs)
  try {
    connection.exec('pragma secure_delete = on')
    // One segment is left, without the words of deleted rows.
    for (const index of ['users_search', 'accounts_search']) {
      const optimize = `insert into ${index} (${index}) values ('optimize')`
      await retryWhileBusy(() => connection.exec(optimize), deadline)
    }
    await retryWhileBusy(() => connection.exec('vacuum'), deadline)
    // The log holds pages of before, until no reader needs it and it is cut.
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

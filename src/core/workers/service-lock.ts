import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemCode } from '../reason.ts'

/**
 * Lock of a data directory with a SQLite database: shared by services, exclusive for some commands.
 * An empty SQLite file, because Node has no file locks; nothing else opens the file, so no other
 * code can release the lock. Released when the process ends.
 */
export const lockFileName = 'gatehouse.lock'

// https://sqlite.org/rescode.html#busy
const busy = 5
/** A command that finds the lock taken briefly holds a part. */
const patienceMs = 1_000

/** Protects the locks from garbage collection. */
const held: DatabaseSync[] = []

/** Shared, until the process ends. @throws Error if a command holds the lock */
export function holdServiceLock(dataDirectory: string): void {
  const file = openLock(dataDirectory, patienceMs)
  try {
    file.exec('begin; select count(*) from sqlite_schema') // a read transaction has a shared lock
  } catch (error) {
    file.close()
    if (!isBusy(error)) throw error
    throw new Error(
      `${join(dataDirectory, lockFileName)} is held by a command: wait until it has ended`,
      { cause: error },
    )
  }
  held.push(file)
}

/** Exclusive; returns the release function. @throws Error if a service runs */
export function takeServiceLock(dataDirectory: string): () => void {
  const file = openLock(dataDirectory, 0)
  try {
    file.exec('pragma journal_mode = memory; begin exclusive') // leaves no journal
  } catch (error) {
    file.close()
    if (!isBusy(error)) throw error
    throw new Error(`${dataDirectory} is in use: stop the service first`, { cause: error })
  }
  return () => file.close()
}

function openLock(dataDirectory: string, timeout: number): DatabaseSync {
  const path = join(dataDirectory, lockFileName)
  try {
    closeSync(openSync(path, 'wx', 0o600)) // SQLite would create a file readable for all users
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  return new DatabaseSync(path, { timeout })
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === busy
}

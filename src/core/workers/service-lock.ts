import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemCode } from '../reason.ts'

/**
 * Lock of a data directory with a SQLite database: held by one service or one command. Two services
 * would answer from commits of each other that are not on disk (docs/adr/0045). An empty SQLite
 * file, because Node has no file locks; nothing else opens the file, so no other code can release
 * the lock. Released when the process ends.
 */
export const lockFileName = 'gatehouse.lock'

// https://sqlite.org/rescode.html#busy
const busy = 5
/** A command that finds the lock taken briefly holds a part. */
const patienceMs = 1_000

/** Protects the locks from garbage collection. */
const held: DatabaseSync[] = []

/** Until the process ends. @throws Error if a service or a command has the lock */
export function holdServiceLock(dataDirectory: string): void {
  const path = join(dataDirectory, lockFileName)
  const isHeld = `${path} is held by a command: wait until it has ended, or by another service: stop it first`
  held.push(lock(dataDirectory, patienceMs, isHeld))
}

/** Returns the release function. @throws Error if a service runs */
export function takeServiceLock(dataDirectory: string): () => void {
  const file = lock(dataDirectory, 0, `${dataDirectory} is in use: stop the service first`)
  return () => file.close()
}

function lock(dataDirectory: string, timeout: number, isHeld: string): DatabaseSync {
  const file = openLock(dataDirectory, timeout)
  try {
    file.exec('pragma journal_mode = memory; begin exclusive') // leaves no journal
    return file
  } catch (error) {
    file.close()
    throw isBusy(error) ? new Error(isHeld, { cause: error }) : error
  }
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

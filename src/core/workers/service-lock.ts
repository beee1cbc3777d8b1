import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemCode } from '../reason.ts'

/**
 * The lock of a data directory with a SQLite database: shared by running services, exclusive for a
 * command that must not run while a service does. It is an empty SQLite file of its own, because Node
 * has no lock of files besides. Nothing else opens this file, so no other code of the process can
 * release the lock. The system releases it when the process ends, however it ends.
 */
export const lockFileName = 'gatehouse.lock'

// https://sqlite.org/rescode.html#busy
const busy = 5
/** A command that finds the lock taken holds a part of it for a moment. */
const patienceMs = 1_000

/** References keep the connections, and so the locks, from the garbage collector. */
const held: DatabaseSync[] = []

/**
 * Holds the lock for the rest of the process, shared with other services.
 * @throws Error if a command has it
 */
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

/**
 * Takes the lock alone; answers the function that releases it.
 * @throws Error if a service runs, or another such command
 */
export function takeServiceLock(dataDirectory: string): () => void {
  const file = openLock(dataDirectory, 0)
  try {
    file.exec('pragma journal_mode = memory; begin exclusive') // no journal is left behind
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
    closeSync(openSync(path, 'wx', 0o600)) // SQLite would create it readable for all users
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw error
  }
  return new DatabaseSync(path, { timeout })
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === busy
}

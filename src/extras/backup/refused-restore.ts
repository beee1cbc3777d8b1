import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { databaseFileName } from '../../core/database/sqlite/connect.ts'
import { Connection } from '../../core/database/sqlite/connection.ts'
import { lockFileName } from '../../core/workers/service-lock.ts'

const databaseFiles = ['', '-wal', '-shm'].map((ending) => databaseFileName + ending)

/**
 * If the work fails or the process exits, removes the new SQLite files, unless the database has
 * tables. Needs the data directory lock. A master key stays: the operator may have added the file
 * meanwhile.
 */
export function withoutEmptyDatabase<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const path = join(directory, databaseFileName)
  if (existsSync(path)) return work()
  const made = databaseFiles
    .map((name) => join(directory, name))
    .filter((file) => !existsSync(file))
  return clearedUnlessDone(work, () => {
    if (existsSync(path) && isEmpty(path)) for (const file of made) rmSync(file, { force: true })
  })
}

/**
 * If the work fails, removes the folders created for the data directory. Needs its lock. @param
 * first the result of `makeDataDirectory`
 */
export function withoutEmptyFolder<T>(
  { directory, first }: { readonly directory: string; readonly first: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  if (first === undefined) return work()
  return clearedUnlessDone(work, () => {
    if (existsSync(join(directory, databaseFileName))) return
    rmSync(join(directory, lockFileName), { force: true })
    const last = dirname(resolve(first))
    for (let folder = resolve(directory); folder !== last; folder = dirname(folder))
      rmdirSync(folder)
  })
}

async function clearedUnlessDone<T>(work: () => Promise<T>, clear: () => void): Promise<T> {
  const clearWhatIsThere = () => {
    try {
      clear()
    } catch {} // keep folders with new files; the restore's error counts
  }
  process.prependOnceListener('exit', clearWhatIsThere) // before the handler of the surrounding folder
  try {
    return await work()
  } catch (error) {
    clearWhatIsThere()
    throw error
  } finally {
    process.off('exit', clearWhatIsThere)
  }
}

/** Ignores open transactions. */
function isEmpty(path: string): boolean {
  const connection = new Connection(path)
  try {
    const query = { sql: 'select name from sqlite_schema limit 1', parameters: [] }
    return connection.run(query).rows.length === 0
  } finally {
    connection.close()
  }
}

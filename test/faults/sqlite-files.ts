import { execFileSync, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFileName } from '../../src/core/database/sqlite/connect.ts'

export const databasePath = (directory: string) => join(directory, databaseFileName)

/**
 * Reads the database once with another program, which opens it for reading and writing. When a program
 * closes a database that no other process has open, as far as locks tell, it deletes the log. Without
 * the sqlite3 program, Node does the same with the locks of an older SQLite: since 3.51 SQLite looks
 * at a second lock before it deletes. https://sqlite.org/releaselog/3_51_0.html
 */
export function lookFromOutside(directory: string): void {
  const path = databasePath(directory)
  const sqlite3 = spawnSync('sqlite3', [path, 'select count(*) from users'], { encoding: 'utf8' })
  if (sqlite3.status === 0) return
  const look = `const { DatabaseSync } = require('node:sqlite')
    const file = new DatabaseSync(process.argv[1])
    try {
      file.exec('pragma locking_mode = exclusive')
      file.exec('select count(*) from users')
    } catch (error) {
      if (error.errcode !== 5) throw error // busy: another process has the database open
    }
    file.close()`
  execFileSync(process.execPath, ['-e', look, path])
}

/**
 * The locks that a process holds for as long as it has the database open: on the database file, and
 * the byte of the -shm file that marks it as in use. Other locks come and go.
 * https://sqlite.org/wal.html#locks
 */
export function lastingLocks(pid: number, directory: string): string[] {
  const shared = lockLines(pid, statSync(databasePath(directory)).ino)
  const inUse = lockLines(pid, statSync(`${databasePath(directory)}-shm`).ino)
  return [...shared, ...inUse.filter((line) => line.endsWith(' 128 128'))].toSorted()
}

/** The locks of a process on one file, as `READ first-byte last-byte`. proc_locks(5) */
function lockLines(pid: number, inode: number): string[] {
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , , owner, file = '']) => Number(owner) === pid && file.endsWith(`:${inode}`))
    .map(([, , , kind, , , from, to]) => `${inode} ${kind} ${from} ${to}`)
}

/** The files that a process has open although no path leads to them any more. */
export function deletedFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).flatMap((name) => {
    try {
      const path = readlinkSync(join(folder, name))
      return path.endsWith(' (deleted)') && path.includes(databaseFileName) ? [path] : []
    } catch {
      return [] // closed meanwhile
    }
  })
}

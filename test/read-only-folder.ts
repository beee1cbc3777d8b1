import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFileName } from '../src/core/database/sqlite/connect.ts'

/**
 * Makes the database file of a folder one that cannot be written, as a disk does that the kernel has
 * remounted after a fault; answers how to undo it, null where this user, or this container, cannot.
 */
export function makeReadOnly(directory: string): (() => void) | null {
  if (process.getuid?.() !== 0) {
    const path = join(directory, databaseFileName)
    chmodSync(path, 0o400)
    return () => chmodSync(path, 0o600)
  }
  // root may write whatever the mode says, but not on a mount that is read-only
  const mount = (...words: string[]) => execFileSync('mount', words, { stdio: 'ignore' })
  try {
    mount('--bind', directory, directory)
  } catch {
    return null
  }
  mount('-o', 'remount,bind,ro', directory)
  return () => void execFileSync('umount', ['-l', directory])
}

import { closeSync, fstatSync, openSync, read, statSync } from 'node:fs'
import { promisify } from 'node:util'

const readAt = promisify(read)

/** The database file, open once per process. */
export interface KeptFile {
  /** @throws Error if the file is shorter, or the disk fails */
  head(bytes: number): Promise<Buffer>
  /** Closes the descriptor with its last user. Call after SQLite has closed its connections. */
  release(): void
}

interface Kept {
  readonly descriptor: number
  users: number
}

/** By device and inode. */
const keptFiles = new Map<string, Kept>()

/**
 * Creates a missing file with mode 0600. The descriptor must outlive SQLite's connections: when a
 * process closes any descriptor of a file, POSIX drops all locks of the process on the file,
 * including SQLite's. fcntl_locking(2)
 */
export function keepFile(path: string): KeptFile {
  const there = statSync(path, { bigint: true, throwIfNoEntry: false })
  const known = there && keptFiles.get(idOf(there))
  const kept = known ?? { descriptor: openSync(path, 'a+', 0o600), users: 0 }
  const id = idOf(fstatSync(kept.descriptor, { bigint: true }))
  keptFiles.set(id, kept)
  kept.users += 1
  let isReleased = false
  return {
    async head(bytes) {
      if (isReleased) throw new Error('the database is closed')
      const buffer = Buffer.alloc(bytes)
      const { bytesRead } = await readAt(kept.descriptor, buffer, 0, bytes, 0)
      if (bytesRead < bytes) throw new Error('it is too short')
      return buffer
    },
    release() {
      if (isReleased) return
      isReleased = true
      kept.users -= 1
      if (kept.users > 0) return
      keptFiles.delete(id)
      closeSync(kept.descriptor)
    },
  }
}

export function idOf({ dev, ino }: { readonly dev: bigint; readonly ino: bigint }): string {
  return `${dev}:${ino}`
}

import { statSync } from 'node:fs'
import type { DatabaseFiles } from '../database.ts'
import { DatabaseReplaced } from '../errors.ts'
import { idOf } from './kept-file.ts'

/** Of the database file, the write-ahead log and its index. https://sqlite.org/tempfiles.html */
const endings = ['', '-wal', '-shm']

/**
 * The files of a database that SQLite has open. SQLite continues to use files that were deleted
 * or replaced, and its writes to them are lost. The files are compared by path, never opened: see
 * kept-file.ts. A comparison takes about 4 us.
 */
export class OpenedFiles implements DatabaseFiles {
  readonly #path: string
  #opened: readonly { readonly path: string; readonly id: string }[] = []
  #abandoned: string | null = null

  /** @param path of the database file */
  constructor(path: string) {
    this.#path = path
  }

  /** Call it when SQLite has opened all files. SQLite replaces none of them while it has connections. */
  opened(): void {
    this.#opened = endings.flatMap((ending) => {
      const path = this.#path + ending
      const id = fileAt(path)
      return id === null || id === undefined ? [] : [{ path, id }]
    })
  }

  /** Call it when SQLite has closed all files: it deletes the log then. */
  closed(): void {
    this.#opened = []
  }

  replaced(): string | null {
    if (this.#abandoned !== null) return this.#abandoned
    for (const { path, id } of this.#opened) {
      const there = fileAt(path)
      if (there !== undefined && there !== id) return path
    }
    return null
  }

  abandon(): void {
    this.#abandoned ??= this.replaced()
  }

  /** @throws DatabaseReplaced */
  assertSame(): void {
    const path = this.replaced()
    if (path !== null) throw new DatabaseReplaced(path)
  }
}

/** The file at a path; null if there is none; undefined if the file cannot be read. */
function fileAt(path: string): string | null | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found ? idOf(found) : null
  } catch {
    return undefined
  }
}

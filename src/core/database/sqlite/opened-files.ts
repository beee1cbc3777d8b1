import { statSync } from 'node:fs'
import type { DatabaseFiles } from '../database.ts'
import { DatabaseReplaced } from '../errors.ts'
import { idOf } from './kept-file.ts'

/** https://sqlite.org/tempfiles.html */
const endings = ['', '-wal', '-shm']

/**
 * Detects that open database files were deleted or replaced: SQLite keeps using them, and writes
 * are lost. Compares paths without opening files (see kept-file.ts), in about 4 us.
 */
export class OpenedFiles implements DatabaseFiles {
  readonly #path: string
  #opened: readonly { readonly path: string; readonly id: string }[] = []
  #abandoned: string | null = null

  constructor(path: string) {
    this.#path = path
  }

  /** Call after SQLite has opened all files; SQLite replaces none while connected. */
  opened(): void {
    this.#opened = endings.flatMap((ending) => {
      const path = this.#path + ending
      const id = fileAt(path)
      return id === null || id === undefined ? [] : [{ path, id }]
    })
  }

  /** Call after SQLite has closed all files and deleted the log. */
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

/** Null if missing; undefined if unreadable. */
function fileAt(path: string): string | null | undefined {
  try {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found ? idOf(found) : null
  } catch {
    return undefined
  }
}

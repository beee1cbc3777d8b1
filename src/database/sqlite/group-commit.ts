import { closeSync, openSync } from 'node:fs'
import { DatabaseUnavailable } from '../errors.ts'

/** Brings the data of a file to the disk without blocking the event loop: `fdatasync` of node:fs. */
export type FlushFile = (descriptor: number, done: (error: Error | null) => void) => void

export interface GroupCommitOptions {
  readonly flushFile: FlushFile
  /** Called once, if the disk does not take the log: the process must not go on. */
  readonly failed: (error: Error) => void
}

interface Group {
  readonly promise: Promise<void>
  resolve(): void
  reject(error: Error): void
}

/**
 * Waits for the disk once for all commits that wait. SQLite writes each transaction to the
 * write-ahead log by a commit of its own, which does not wait (`synchronous = normal`); a thread of
 * the pool then brings the log to the disk, while the event loop goes on. A commit that comes
 * meanwhile belongs to the next group, because the disk may have passed its place in the log.
 *
 * If the disk does not take a group, all of it fails, and so does everything later: Linux counts
 * the pages of the log as written then, so that a second attempt would succeed without them.
 * docs/adr/0045
 */
export class GroupCommit {
  readonly #descriptor: number
  readonly #options: GroupCommitOptions
  #current: Group | undefined
  #next: Group | undefined
  #failure: Error | undefined
  #isDue = false

  /** @param log the path of the write-ahead log, which must exist */
  constructor(log: string, options: GroupCommitOptions) {
    this.#descriptor = openSync(log, 'r+')
    this.#options = options
  }

  /** Resolves when a commit that was made just now is on disk. @throws DatabaseUnavailable */
  committed(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure)
    this.#next ??= newGroup()
    const { promise } = this.#next
    if (!this.#current && !this.#isDue) {
      this.#isDue = true
      // Behind the requests that have already arrived: their commits belong to this group.
      setImmediate(() => {
        this.#isDue = false
        this.#begin()
      })
    }
    return promise
  }

  /**
   * Resolves when all commits until now are on disk; undefined if they are.
   * @throws DatabaseUnavailable
   */
  pending(): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure)
    return (this.#next ?? this.#current)?.promise
  }

  /** Waits for the last group, and closes the file. */
  async close(): Promise<void> {
    await this.pending()?.catch(() => {})
    closeSync(this.#descriptor)
  }

  #begin(): void {
    const group = this.#next
    if (!group) return
    this.#current = group
    this.#next = undefined
    this.#options.flushFile(this.#descriptor, (error) => {
      if (error) return this.#fail(group, error)
      this.#current = undefined
      this.#begin() // first, so that the disk works while the answers of this group are made
      group.resolve()
    })
  }

  #fail(group: Group, cause: Error): void {
    const failure = new DatabaseUnavailable('the disk has not taken a commit', { cause })
    this.#failure = failure
    const next = this.#next
    this.#current = undefined
    this.#next = undefined
    group.reject(failure)
    next?.reject(failure)
    this.#options.failed(failure)
  }
}

function newGroup(): Group {
  const group = Promise.withResolvers<void>()
  group.promise.catch(() => {}) // who waits for it is told; a group may also have lost all of them
  return group
}

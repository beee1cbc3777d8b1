import { closeSync, openSync } from 'node:fs'
import { DatabaseUnavailable } from '../errors.ts'
import { Deadline } from '../mutex.ts'

/** Brings the data of a file to the disk without blocking the event loop: `fdatasync` of node:fs. */
export type FlushFile = (descriptor: number, done: (error: Error | null) => void) => void

export interface GroupCommitOptions {
  readonly flushFile: FlushFile
  /** How long a result waits for the disk before it fails. */
  readonly timeoutMs: number
  /** Called once, if the disk does not take the log: the process must not go on. */
  readonly failed: (error: Error) => void
}

/**
 * Waits for the disk once for all commits that wait. SQLite writes each transaction to the
 * write-ahead log by a commit of its own, which does not wait (`synchronous = normal`); a thread of
 * the pool then brings the log to the disk, while the event loop goes on. A commit that comes
 * meanwhile belongs to the next group, because the disk may have passed its place in the log.
 *
 * If the disk does not take a group, all of it fails, and so does everything later: Linux counts
 * the pages of the log as written then, so that a second attempt would succeed without them. A disk
 * that is only late fails those that wait too long, and no others. docs/adr/0045
 */
export class GroupCommit {
  readonly #descriptor: number
  readonly #options: GroupCommitOptions
  #current: Group | undefined
  #next: Group | undefined
  #failure: Error | undefined
  #isDue = false
  #timeouts = 0

  /** @param log the path of the write-ahead log, which must exist */
  constructor(log: string, options: GroupCommitOptions) {
    this.#descriptor = openSync(log, 'r+')
    this.#options = options
  }

  /** A number that changes when commits fail that may be in the database all the same. */
  get timeouts(): number {
    return this.#timeouts
  }

  /**
   * Resolves when a commit that was made just now is on disk.
   * @throws DatabaseUnavailable, after `timeoutMs` at the latest
   */
  committed(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure)
    this.#next ??= this.#newGroup()
    const onDisk = this.#next.onDisk()
    if (!this.#current && !this.#isDue) {
      this.#isDue = true
      // Behind the requests that have already arrived: their commits belong to this group.
      setImmediate(() => {
        this.#isDue = false
        this.#begin()
      })
    }
    return onDisk
  }

  /**
   * Resolves when all commits until now are on disk; undefined if they are.
   * @throws DatabaseUnavailable, after `timeoutMs` at the latest
   */
  pending(): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure)
    return this.#last()?.onDisk()
  }

  /** Waits for the last group, at any length, and closes the file. */
  async close(): Promise<void> {
    // A transaction under way may commit meanwhile: a flush of the closed file would fail.
    for (let last = this.#last(); last; last = this.#last()) await last.ended
    closeSync(this.#descriptor)
  }

  #last(): Group | undefined {
    return this.#next ?? this.#current
  }

  #newGroup(): Group {
    return new Group(this.#options.timeoutMs, () => {
      this.#timeouts += 1
    })
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
      group.end()
    })
  }

  #fail(group: Group, cause: Error): void {
    const failure = new DatabaseUnavailable('the disk has not taken a commit', { cause })
    this.#failure = failure
    const next = this.#next
    this.#current = undefined
    this.#next = undefined
    group.end(failure)
    next?.end(failure)
    this.#options.failed(failure)
  }
}

/** The commits that one flush brings to the disk, and those who wait for it. */
class Group {
  readonly #timeoutMs: number
  readonly #late: () => void
  readonly #ended = Promise.withResolvers<void>()
  #waiting: PromiseWithResolvers<void> | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param late called when waiters fail because the disk takes too long */
  constructor(timeoutMs: number, late: () => void) {
    this.#timeoutMs = timeoutMs
    this.#late = late
  }

  /** Resolves when the disk has taken the group or has failed, however long it takes. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** One promise and one timer for all that begin to wait before the first of them fails. */
  onDisk(): Promise<void> {
    if (this.#waiting) return this.#waiting.promise
    this.#waiting = Promise.withResolvers<void>()
    this.#waiting.promise.catch(() => {}) // who waits is told; all of them may have gone
    this.#timer = setTimeout(() => this.#expire(), new Deadline(this.#timeoutMs).leftMs())
    return this.#waiting.promise
  }

  end(failure?: Error): void {
    clearTimeout(this.#timer)
    if (failure) this.#waiting?.reject(failure)
    else this.#waiting?.resolve()
    this.#ended.resolve()
  }

  #expire(): void {
    this.#late()
    this.#waiting?.reject(new DatabaseUnavailable('waited too long for the disk'))
    this.#waiting = undefined
  }
}

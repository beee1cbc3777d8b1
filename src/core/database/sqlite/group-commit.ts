import { closeSync, openSync } from 'node:fs'
import { DatabaseUnavailable } from '../errors.ts'
import { Deadline } from '../mutex.ts'

/** `fdatasync` of node:fs. */
export type FlushFile = (descriptor: number, done: (error: Error | null) => void) => void

export interface GroupCommitOptions {
  readonly flushFile: FlushFile
  /** How long a result waits for the disk. */
  readonly timeoutMs: number
  /** Called once if a flush fails: the process must end. */
  readonly failed: (error: Error) => void
}

/**
 * Flushes the write-ahead log once for all waiting commits. SQLite commits without waiting
 * (`synchronous = normal`); a pool thread flushes the log without blocking the event loop. Commits
 * during a flush belong to the next group.
 *
 * A failed flush fails the group and all later commits: Linux then marks the pages as written, so a
 * retry would succeed without them. A slow disk only fails commits that time out. docs/adr/0045
 */
export class GroupCommit {
  readonly #descriptor: number
  readonly #options: GroupCommitOptions
  #current: Group | undefined
  #next: Group | undefined
  #failure: Error | undefined
  #isDue = false
  #timeouts = 0

  /** @param log path of the write-ahead log, which must exist */
  constructor(log: string, options: GroupCommitOptions) {
    this.#descriptor = openSync(log, 'r+')
    this.#options = options
  }

  /** Changes when commits fail that may be in the database. */
  get timeouts(): number {
    return this.#timeouts
  }

  /**
   * Waits for the last commit.
   * @throws DatabaseUnavailable, after `timeoutMs` at the latest
   */
  committed(): Promise<void> {
    if (this.#failure) return Promise.reject(this.#failure)
    this.#next ??= this.#newGroup()
    const onDisk = this.#next.onDisk()
    if (!this.#current && !this.#isDue) {
      this.#isDue = true
      // After requests that have already arrived: their commits join this group.
      setImmediate(() => {
        this.#isDue = false
        this.#begin()
      })
    }
    return onDisk
  }

  /**
   * Undefined if all commits are on disk.
   * @throws DatabaseUnavailable, after `timeoutMs` at the latest
   */
  pending(): Promise<void> | undefined {
    if (this.#failure) return Promise.reject(this.#failure)
    return this.#last()?.onDisk()
  }

  /** Waits for the last group without a limit. */
  async close(): Promise<void> {
    // Transactions may commit before the flush; flushing the closed file would fail.
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
      this.#begin() // first, so that the disk works in parallel
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

/** The commits of one flush. */
class Group {
  readonly #timeoutMs: number
  readonly #late: () => void
  readonly #ended = Promise.withResolvers<void>()
  #waiting: PromiseWithResolvers<void> | undefined
  #timer: NodeJS.Timeout | undefined

  /** @param late called when waiters time out */
  constructor(timeoutMs: number, late: () => void) {
    this.#timeoutMs = timeoutMs
    this.#late = late
  }

  /** Resolves after the flush or its failure, without a limit. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  /** Waiters share one promise and timer. */
  onDisk(): Promise<void> {
    if (this.#waiting) return this.#waiting.promise
    this.#waiting = Promise.withResolvers<void>()
    this.#waiting.promise.catch(() => {}) // there may be no waiters left
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

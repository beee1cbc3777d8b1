import { statSync } from 'node:fs'
import { Thread } from '../../threads/thread.ts'
import type { OpenedFiles } from './opened-files.ts'

export interface Log {
  readonly pages: number
  /** How many pages are in the database file already. */
  readonly written: number
}

/** Pages of 4 KiB that trigger a checkpoint; fewer for a small database. */
export const pagesPerCheckpoint = 4000
const pageBytes = 4096
/** A log above this and above four times the database file is truncated. */
export const minLogLimitBytes = 8 * 1024 * 1024
const logLimitPerFile = 4
/** Checks the log only every few commits: a message to the thread costs 10 us. */
const commitsPerLook = 8

/** Of `pragma wal_checkpoint`. */
type Mode = 'noop' | 'passive' | 'full' | 'truncate'

export interface CheckpointRequest {
  readonly path: string
  readonly mode: Mode
}

const memory = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 }

export interface CheckpointOptions {
  readonly path: string
  /** The writers' mutex; resolves to the release function. */
  readonly enter: () => Promise<() => void>
  readonly files: Pick<OpenedFiles, 'assertSame'>
}

/**
 * Checkpoints the write-ahead log on a thread, since a checkpoint takes 10 to 50 ms. The first pass
 * runs next to writers; the second blocks this process's writers, so that the next commit can
 * restart the log. A log above its limit is truncated. The thread starts when first needed. If the
 * thread falls behind, commits checkpoint at four times the length. docs/adr/0049
 */
export class Checkpoints {
  readonly #options: CheckpointOptions
  #thread: Thread<CheckpointRequest, Log | null> | undefined
  #isLost = false
  #commits = 0
  #pages = 0
  /** The log length for a retry after a failure, or 0. */
  #retryAt = 0
  #underWay: Promise<void> | undefined

  constructor(options: CheckpointOptions) {
    this.#options = options
  }

  /** Call after each commit. */
  committed(): void {
    this.#commits += 1
    if (this.#commits < commitsPerLook || this.#underWay || this.#isLost) return
    this.#commits = 0
    if (!this.#thread && this.#size() < this.#dueBytes()) return
    this.#underWay = this.#look()
      .catch(() => {}) // commits checkpoint instead
      .finally(() => {
        this.#underWay = undefined
      })
  }

  /** Waits for a running checkpoint. */
  async close(): Promise<void> {
    this.#isLost = true
    await this.#underWay
    const thread = this.#thread
    this.#thread = undefined
    await thread?.close()
  }

  /** Bytes. */
  #size(ending: '-wal' | '' = '-wal'): number {
    return statSync(this.#options.path + ending, { throwIfNoEntry: false })?.size ?? 0
  }

  #limit(): number {
    return Math.max(minLogLimitBytes, logLimitPerFile * this.#size(''))
  }

  /** Well below the limit, so that few logs are truncated. */
  #dueBytes(): number {
    return Math.min(pagesPerCheckpoint * pageBytes, (3 / 4) * this.#limit())
  }

  async #look(): Promise<void> {
    const { pages = 0 } = (await this.#ask('noop')) ?? {}
    if (pages < this.#pages) this.#retryAt = 0 // a commit has restarted the log
    this.#pages = pages
    const isTooLarge = this.#size() > this.#limit()
    const due = Math.max(this.#dueBytes() / pageBytes, this.#retryAt)
    if (pages < due && !isTooLarge) return
    // A reader may block the log for long: retry when the log has grown by as much, or at the next
    // check if too large.
    this.#retryAt = pages + pagesPerCheckpoint
    await this.#ask('passive') // does not include later commits
    const leave = await this.#options.enter()
    try {
      // `full` also blocks writers of other processes, unless one is active.
      await this.#ask(isTooLarge ? 'truncate' : 'full')
    } finally {
      leave()
    }
  }

  /**
   * Returns null after a failed checkpoint. @throws ThreadFailed; DatabaseReplaced: another log
   * must not reach the database file
   */
  async #ask(mode: Mode): Promise<Log | null> {
    this.#options.files.assertSame()
    if (!this.#thread) {
      const file = { from: import.meta.url, path: './checkpoint-thread' } as const
      const thread = new Thread<CheckpointRequest, Log | null>(file, memory)
      this.#thread = thread
      void thread.exited.then(() => {
        this.#isLost = true
        this.#thread = undefined
      })
    }
    return this.#thread.call({ path: this.#options.path, mode })
  }
}

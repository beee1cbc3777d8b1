import { statSync } from 'node:fs'
import { Thread } from '../../threads/thread.ts'
import type { OpenedFiles } from './opened-files.ts'

/** The state of the write-ahead log. */
export interface Log {
  /** How many pages it holds. */
  readonly pages: number
  /** How many of them are in the database file, from the beginning of the log. */
  readonly written: number
}

/** From so many pages of 4 KiB on the log is written back, or earlier beside a small database. */
export const pagesPerCheckpoint = 4000
const pageBytes = 4096
/** A log that is larger than this, and than four times the database file, is truncated. */
export const minLogLimitBytes = 8 * 1024 * 1024
const logLimitPerFile = 4
/** One of several commits looks at the log: a message to the thread costs 10 us. */
const commitsPerLook = 8

/** The modes of `pragma wal_checkpoint`. */
type Mode = 'noop' | 'passive' | 'full' | 'truncate'

export interface CheckpointRequest {
  readonly path: string
  readonly mode: Mode
}

const memory = { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 }

export interface CheckpointOptions {
  /** The path of the database file. */
  readonly path: string
  /** Enters the mutex of the writers of this process; resolves to the function that leaves it. */
  readonly enter: () => Promise<() => void>
  readonly files: Pick<OpenedFiles, 'assertSame'>
}

/**
 * Writes the write-ahead log back into the database file on a thread, because a checkpoint takes 10
 * to 50 ms, in which the event loop would stand still. First it writes what is there, while writers
 * go on, then the rest, while the writers of this process wait in their mutex: only then can the
 * next commit begin the log anew. A log that has grown beyond its limit is truncated then, since the
 * file never shrinks by itself. The thread is started when the log is long for the first time. If
 * it cannot keep up, commits write the log back themselves, at four times the length. docs/adr/0049
 */
export class Checkpoints {
  readonly #options: CheckpointOptions
  #thread: Thread<CheckpointRequest, Log | null> | undefined
  #isLost = false
  #commits = 0
  #pages = 0
  /** How long the log is when it is written back again, if that failed; 0 if it did not. */
  #retryAt = 0
  #underWay: Promise<void> | undefined

  constructor(options: CheckpointOptions) {
    this.#options = options
  }

  /** To be called after each commit. */
  committed(): void {
    this.#commits += 1
    if (this.#commits < commitsPerLook || this.#underWay || this.#isLost) return
    this.#commits = 0
    if (!this.#thread && this.#size() < this.#dueBytes()) return
    this.#underWay = this.#look()
      .catch(() => {}) // the commits do it then
      .finally(() => {
        this.#underWay = undefined
      })
  }

  /** Waits for a checkpoint under way, and ends the thread. */
  async close(): Promise<void> {
    this.#isLost = true
    await this.#underWay
    const thread = this.#thread
    this.#thread = undefined
    await thread?.close()
  }

  /** The bytes of the log, or of the database file. */
  #size(ending: '-wal' | '' = '-wal'): number {
    return statSync(this.#options.path + ending, { throwIfNoEntry: false })?.size ?? 0
  }

  #limit(): number {
    return Math.max(minLogLimitBytes, logLimitPerFile * this.#size(''))
  }

  /** From so many bytes on the log is written back: well before its limit, so that few are truncated. */
  #dueBytes(): number {
    return Math.min(pagesPerCheckpoint * pageBytes, (3 / 4) * this.#limit())
  }

  async #look(): Promise<void> {
    const { pages = 0 } = (await this.#ask('noop')) ?? {}
    if (pages < this.#pages) this.#retryAt = 0 // a commit has begun it anew
    this.#pages = pages
    const isTooLarge = this.#size() > this.#limit()
    const due = Math.max(this.#dueBytes() / pageBytes, this.#retryAt)
    if (pages < due && !isTooLarge) return
    // A reader may hold the log for long: it is tried again when the log has grown by as much, or at the
    // next look if it is too large.
    this.#retryAt = pages + pagesPerCheckpoint
    await this.#ask('passive') // its answer leaves out what was committed meanwhile
    const leave = await this.#options.enter()
    try {
      // `full` keeps the writers of other processes away as well, unless one is writing just now.
      await this.#ask(isTooLarge ? 'truncate' : 'full')
    } finally {
      leave()
    }
  }

  /**
   * Answers the log after the checkpoint; null if that failed. @throws ThreadFailed; DatabaseReplaced:
   * another log must not come into the database file
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

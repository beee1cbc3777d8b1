import { statSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { OpenedFiles } from './opened-files.ts'

/** The state of the write-ahead log. */
export interface Log {
  /** How many pages it holds. */
  readonly pages: number
  /** How many of them are in the database file, from the beginning of the log. */
  readonly written: number
}

/** From so many pages of 4 KiB on the log is written back. */
export const pagesPerCheckpoint = 4000
const pageBytes = 4096
/** One of several commits looks at the log: a message to the thread costs 10 us. */
const commitsPerLook = 8

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
 * next commit begin the log anew. The thread is started when the log is long for the first time. If
 * it cannot keep up, commits write the log back themselves, at four times the length. docs/adr/0049
 */
export class Checkpoints {
  readonly #options: CheckpointOptions
  #thread: Worker | undefined
  #isLost = false
  #commits = 0
  #pages = 0
  #due = pagesPerCheckpoint
  #underWay: Promise<void> | undefined

  constructor(options: CheckpointOptions) {
    this.#options = options
  }

  /** To be called after each commit. */
  committed(): void {
    this.#commits += 1
    if (this.#commits < commitsPerLook || this.#underWay || this.#isLost) return
    this.#commits = 0
    if (!this.#thread && !this.#isLong()) return
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
    if (!thread) return
    this.#thread = undefined
    const exited = new Promise((resolve) => thread.once('exit', resolve))
    thread.ref()
    thread.postMessage('close')
    await exited
  }

  // The file never shrinks, so it is long as soon as the log was.
  #isLong(): boolean {
    const file = statSync(`${this.#options.path}-wal`, { throwIfNoEntry: false })
    return file !== undefined && file.size >= pagesPerCheckpoint * pageBytes
  }

  async #look(): Promise<void> {
    const { pages = 0 } = (await this.#ask('noop')) ?? {}
    if (pages < this.#pages) this.#due = pagesPerCheckpoint // a commit has begun it anew
    this.#pages = pages
    if (pages < this.#due) return
    // A reader may hold the log for long: it is tried again when the log has grown by as much.
    this.#due = pages + pagesPerCheckpoint
    await this.#ask('passive') // its answer leaves out what was committed meanwhile
    const leave = await this.#options.enter()
    try {
      // `full` keeps the writers of other processes away as well, unless one is writing just now.
      await this.#ask('full')
    } finally {
      leave()
    }
  }

  /**
   * Answers the log after the checkpoint; null if that failed. @throws Error if the thread is gone;
   * DatabaseReplaced: another log must not come into the database file
   */
  async #ask(mode: 'noop' | 'passive' | 'full'): Promise<Log | null> {
    this.#options.files.assertSame()
    this.#thread ??= this.#start()
    const thread = this.#thread
    const { promise, resolve, reject } = Promise.withResolvers<Log | null>()
    const gone = () => reject(new Error('the thread of checkpoints is gone'))
    thread.once('message', (log: Log | null) => {
      thread.off('exit', gone)
      resolve(log)
    })
    thread.once('exit', gone)
    thread.postMessage(mode)
    return promise
  }

  #start(): Worker {
    const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
    const thread = new Worker(new URL(`./checkpoint-thread.${extension}`, import.meta.url), {
      workerData: this.#options.path,
      execArgv: [],
      resourceLimits: { maxYoungGenerationSizeMb: 1, maxOldGenerationSizeMb: 16 },
    })
    const lost = () => {
      this.#isLost = true
      this.#thread = undefined
    }
    thread.once('error', lost)
    thread.once('exit', lost)
    thread.unref()
    return thread
  }
}

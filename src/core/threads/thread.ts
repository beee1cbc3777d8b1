import { setTimeout as wait } from 'node:timers/promises'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { type FromThread, serialize, type ToThread } from './messages.ts'

/** Where the code of a thread is: a file `NAME-thread.ts` that calls `serveThread`. */
export interface ThreadFile {
  /** `import.meta.url` of the file that starts the thread. */
  readonly from: string
  /** The path from there, without an extension. */
  readonly path: `./${string}-thread`
}

/** A failure on a thread, or of a thread. */
export class ThreadFailed extends Error {
  /** The name of the error on the thread; undefined if the thread itself failed. */
  readonly type: string | undefined
  /** The code of the error on the thread, such as `ENOSPC`. */
  readonly code: string | undefined

  constructor(message: string, { type, code }: { type?: string; code?: string | undefined } = {}) {
    super(message)
    this.name = 'ThreadFailed'
    this.type = type
    this.code = code
  }
}

export interface CallOptions<Note> {
  /** Cancels the call, which then rejects with the reason of the signal. */
  readonly signal?: AbortSignal
  /** Receives the progress of the call. The thread waits for it, and the call fails if it fails. */
  readonly onNote?: (note: Note) => unknown
  /** How long a cancelled thread may take to end by itself before it is terminated. 0 unless given. */
  readonly graceMs?: number
}

/** A call that sends nothing for so long fails: a network disk may hang for good. */
const stallMs = 300_000
const stalled = 'nothing was written or read for five minutes: does the disk answer?'
/** How long the end of a terminated thread is waited for: a read that hangs in the kernel goes on. */
const endMs = 5000

/** A thread that answers one call at a time. It keeps the process alive only during a call. */
export class Thread<Request, Reply, Note = never> {
  readonly #worker: Worker
  /** Resolves when the thread has ended, for whatever reason. */
  readonly exited: Promise<void>

  constructor({ from, path }: ThreadFile, resourceLimits: ResourceLimits) {
    const extension = from.endsWith('.ts') ? 'ts' : 'js'
    const file = new URL(`${path}.${extension}`, from)
    this.#worker = new Worker(file, { execArgv: [], resourceLimits })
    this.#worker.on('error', () => {}) // `exit` follows
    this.exited = new Promise((resolve) => this.#worker.once('exit', () => resolve()))
    this.#worker.unref()
  }

  /** @throws ThreadFailed; the error of `onNote`; the reason of the signal */
  async call(request: Request, options: CallOptions<Note> = {}): Promise<Reply> {
    const { signal, onNote, graceMs = 0 } = options
    const worker = this.#worker
    const { promise, resolve, reject } = Promise.withResolvers<Reply>()
    const timers: NodeJS.Timeout[] = []
    let stall: NodeJS.Timeout | undefined
    let noted: Promise<unknown> = Promise.resolve()
    let cancelled: { readonly reason: unknown } | undefined
    const fail = (error: unknown) => reject(cancelled ? cancelled.reason : error)
    const cancel = (reason: unknown) => {
      if (cancelled) return
      cancelled = { reason }
      this.#post({ kind: 'cancel' })
      timers.push(
        setTimeout(() => void worker.terminate(), graceMs),
        setTimeout(fail, graceMs + endMs),
      )
    }
    const abort = () => cancel(signal?.reason)
    const progressed = () => {
      clearTimeout(stall)
      stall = setTimeout(cancel, stallMs, new ThreadFailed(stalled))
    }
    const listen = (message: FromThread<Reply, Note>) => {
      progressed()
      if (message.kind === 'reply') return resolve(message.reply)
      if (message.kind === 'failed') return fail(new ThreadFailed(message.message, message))
      noted = noted.then(() => onNote?.(message.note)).then(() => this.#post({ kind: 'noted' }))
      noted.catch(cancel)
    }
    const failed = (error: Error) => fail(new ThreadFailed(error.message))
    const ended = () => fail(new ThreadFailed('its thread has ended'))
    worker.on('message', listen).once('error', failed).once('exit', ended)
    signal?.addEventListener('abort', abort)
    worker.ref()
    progressed()
    this.#post({ kind: 'call', request: serialize(request) })
    if (signal?.aborted) abort()
    try {
      return await promise
    } finally {
      for (const timer of [stall, ...timers]) clearTimeout(timer)
      worker.off('message', listen).off('error', failed).off('exit', ended).unref()
      signal?.removeEventListener('abort', abort)
    }
  }

  /** Ends the thread after its call. */
  async close(): Promise<void> {
    this.#worker.ref()
    this.#post({ kind: 'close' })
    await this.exited
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message)
  }
}

/** The needs of the work do not grow with the number of rows, so that a mistake cannot end the service. */
const memory = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 192 }

/** Makes one call on a thread of its own, and ends the thread. @throws as `Thread.call` */
export async function runOnThread<Request, Reply, Note = never>(
  file: ThreadFile,
  request: Request,
  options: CallOptions<Note>,
): Promise<Reply> {
  const thread = new Thread<Request, Reply, Note>(file, memory)
  try {
    return await thread.call(request, options)
  } finally {
    await Promise.race([thread.close(), wait(endMs, undefined, { ref: false })])
  }
}

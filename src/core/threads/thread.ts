import { setTimeout as wait } from 'node:timers/promises'
import { type ResourceLimits, Worker } from 'node:worker_threads'
import { type FromThread, serialize, type ToThread } from './messages.ts'

export interface ThreadFile {
  /** `import.meta.url` of the file that starts the thread. */
  readonly from: string
  /** Without an extension. */
  readonly path: `./${string}-thread`
}

export class ThreadFailed extends Error {
  /** Undefined if the thread itself failed. */
  readonly type: string | undefined
  /** Such as `ENOSPC`. */
  readonly code: string | undefined

  constructor(message: string, { type, code }: { type?: string; code?: string | undefined } = {}) {
    super(message)
    this.name = 'ThreadFailed'
    this.type = type
    this.code = code
  }
}

export interface CallOptions<Note> {
  readonly signal?: AbortSignal
  /** The thread waits; an error fails the call. */
  readonly onNote?: (note: Note) => unknown
  /** Time before a cancelled thread is terminated. Default 0. */
  readonly graceMs?: number
}

/** Silent calls fail: a network disk may hang. */
const stallMs = 300_000
const stalled = 'nothing was written or read for five minutes: does the disk answer?'
/** A read that hangs in the kernel delays termination. */
const endMs = 5000

/** One call at a time. Keeps the process alive only during calls. */
export class Thread<Request, Reply, Note = never> {
  readonly #worker: Worker
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

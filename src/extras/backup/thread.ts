import { rmSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { partialOf } from './archive-writer.ts'
import type { ReadBack } from './read-back.ts'
import { type FromWorker, type Order, serializeOrder, type ToWorker } from './thread-order.ts'

/** A failure on the thread, with the code of the operating system if there was one. */
export class BackupFailed extends Error {
  readonly code: string | undefined

  constructor(message: string, code?: string) {
    super(message)
    this.name = 'BackupFailed'
    this.code = code
  }
}

export interface ThreadOptions {
  /** Ends it; nothing is left then. */
  readonly signal: AbortSignal
  /** Called when it was read back; the file gets its name if this resolves. */
  readonly verified: (made: ReadBack) => Promise<void>
}

/** How long nothing may come forward: a disk of the network may hang for good. */
const stallMs = 300_000
/** How long a thread may take to end by itself, before it is ended. */
const stopMs = 5000
/** What it takes is the same for any number of rows; without a limit a mistake would end the service. */
const memory = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 192 }

/**
 * Makes a backup on a thread, because rows that are read, written as JSON, compressed, encrypted and
 * read back would keep the event loop from callers for seconds. @throws BackupFailed
 */
export async function makeOnThread(
  order: Order,
  { signal, verified }: ThreadOptions,
): Promise<ReadBack> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const thread = new Worker(new URL(`./backup-thread.${extension}`, import.meta.url), {
    workerData: serializeOrder(order),
    execArgv: [],
    resourceLimits: memory,
  })
  const leaveNothing = () => rmSync(partialOf(order.path), { force: true })
  process.once('exit', leaveNothing)
  const exited = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
  const end = Promise.withResolvers<ReadBack>()
  const stop = () => {
    thread.postMessage('stop' satisfies ToWorker)
    setTimeout(() => void thread.terminate(), stopMs).unref()
  }
  let stall: NodeJS.Timeout | undefined
  const moved = () => {
    clearTimeout(stall)
    stall = setTimeout(() => {
      end.reject(
        new BackupFailed('nothing was written or read for five minutes: does the disk answer?'),
      )
      stop()
    }, stallMs).unref()
  }
  let made: ReadBack | undefined
  thread.on('message', (fromWorker: FromWorker) => {
    moved()
    if (fromWorker.kind === 'failed')
      return end.reject(new BackupFailed(fromWorker.message, fromWorker.code))
    if (fromWorker.kind === 'published' && made) return end.resolve(made)
    if (fromWorker.kind !== 'verified') return
    made = fromWorker.made
    verified(fromWorker.made).then(
      () => thread.postMessage('publish' satisfies ToWorker),
      (error: unknown) => {
        end.reject(error)
        stop()
      },
    )
  })
  thread.once('error', (error: Error) => end.reject(new BackupFailed(error.message)))
  thread.once('exit', () => end.reject(new BackupFailed('its thread has ended')))
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  moved()
  try {
    return await end.promise
  } finally {
    clearTimeout(stall)
    signal.removeEventListener('abort', stop)
    // A thread that hangs in the kernel ends when the disk answers.
    const waited = new Promise((resolve) => setTimeout(resolve, 2 * stopMs).unref())
    await Promise.race([exited, waited])
    leaveNothing()
    process.off('exit', leaveNothing)
  }
}

import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { reasonOf } from '../reason.ts'
import { deserialize, type FromThread, type ToThread } from './messages.ts'

export interface ThreadCall<Note> {
  readonly signal: AbortSignal
  /** Resolves after the receiver has handled the note. @throws when cancelled */
  readonly note: (note: Note) => Promise<void>
}

export interface ServeOptions {
  /** Lowers the thread's priority. */
  readonly isBackground: boolean
  readonly close?: () => void
}

/**
 * Only SQLite may open and close its file here: closing another descriptor would release all locks
 * of the process.
 */
export function serveThread<Request, Reply, Note = never>(
  work: (request: Request, call: ThreadCall<Note>) => Reply | Promise<Reply>,
  { isBackground, close }: ServeOptions,
): void {
  // On Linux each thread has its own priority.
  if (isBackground && process.platform === 'linux') {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  }
  const post = (message: FromThread<Reply, Note>) => parentPort?.postMessage(message)
  const notes: PromiseWithResolvers<void>[] = []
  let cancelled = new AbortController()

  async function answer(request: unknown): Promise<void> {
    cancelled = new AbortController()
    const { signal } = cancelled
    const note = (value: Note) => {
      signal.throwIfAborted()
      const noted = Promise.withResolvers<void>()
      noted.promise.catch(() => {}) // may be unawaited
      notes.push(noted)
      post({ kind: 'note', note: value })
      return noted.promise
    }
    try {
      post({ kind: 'reply', reply: await work(deserialize(request) as Request, { signal, note }) })
    } catch (error) {
      const { name = 'Error', code } =
        error instanceof Error ? (error as NodeJS.ErrnoException) : {}
      post({ kind: 'failed', type: name, message: reasonOf(error), code })
    }
  }

  parentPort?.on('message', (message: ToThread) => {
    if (message.kind === 'call') return void answer(message.request)
    if (message.kind === 'noted') return notes.shift()?.resolve()
    if (message.kind === 'cancel') {
      cancelled.abort(new Error('it was cancelled'))
      for (const note of notes.splice(0)) note.reject(cancelled.signal.reason)
      return
    }
    close?.()
    parentPort?.close()
  })
}

import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { reasonOf } from '../reason.ts'
import { deserialize, type FromThread, type ToThread } from './messages.ts'

/** The call that a thread works on. */
export interface ThreadCall<Note> {
  /** Aborted when the call is cancelled. */
  readonly signal: AbortSignal
  /** Sends progress; resolves after the receiver has handled it. @throws when the call is cancelled */
  readonly note: (note: Note) => Promise<void>
}

export interface ServeOptions {
  /** Whether the threads that serve requests go first. */
  readonly isBackground: boolean
  /** Called before the thread ends. */
  readonly close?: () => void
}

/**
 * Answers the calls of `Thread` in this thread. The reply is a message: it holds no object with methods.
 * SQLite's file must be opened and closed by SQLite alone here: to close another descriptor of the file
 * would release the locks of all connections of the process.
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
      noted.promise.catch(() => {}) // a note may be sent without waiting
      notes.push(noted)
      post({ kind: 'note', note: value })
      return noted.promise
    }
    try {
      // The request is what `Thread.call` has sent.
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

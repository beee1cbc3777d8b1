import { Worker } from 'node:worker_threads'

/** The input of the thread. */
export interface QuickCheckOrder {
  readonly path: string
}

/** The result of the thread: the problems found; `failed` if the check could not run. */
export type QuickCheckFromWorker =
  | { readonly kind: 'found'; readonly problems: readonly string[] }
  | { readonly kind: 'failed'; readonly message: string }

/** The check came to no result. */
export class QuickCheckFailed extends Error {}

/**
 * Reads every page of the file on a thread, because that takes seconds for each gigabyte; answers what
 * SQLite finds damaged, a few words each. The file is opened and closed by SQLite alone.
 * https://sqlite.org/pragma.html#pragma_quick_check
 * @throws QuickCheckFailed, after `limitMs` at the latest
 */
export async function quickCheck(path: string, limitMs: number): Promise<readonly string[]> {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const order: QuickCheckOrder = { path }
  const thread = new Worker(new URL(`./quick-check-thread.${extension}`, import.meta.url), {
    workerData: order,
    execArgv: [],
  })
  thread.unref()
  const end = Promise.withResolvers<readonly string[]>()
  const fail = (message: string) => end.reject(new QuickCheckFailed(message))
  const limit = setTimeout(fail, limitMs, `it took longer than ${limitMs / 1000} s`)
  thread.on('message', (fromWorker: QuickCheckFromWorker) => {
    if (fromWorker.kind === 'failed') fail(fromWorker.message)
    else end.resolve(fromWorker.problems)
  })
  thread.once('error', (error: Error) => fail(error.message))
  thread.once('exit', () => fail('its thread has ended'))
  try {
    return await end.promise
  } finally {
    clearTimeout(limit)
    void thread.terminate() // a read that hangs is not waited for
  }
}

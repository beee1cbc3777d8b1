import { runOnThread, ThreadFailed } from '../../threads/thread.ts'

/**
 * Reads the whole file on a thread (seconds per gigabyte); returns the damages.
 * https://sqlite.org/pragma.html#pragma_quick_check
 * @throws ThreadFailed after `limitMs` at the latest
 */
export async function quickCheck(path: string, limitMs: number): Promise<readonly string[]> {
  const limit = new AbortController()
  const timer = setTimeout(() => {
    limit.abort(new ThreadFailed(`it took longer than ${limitMs / 1000} s`))
  }, limitMs)
  const file = { from: import.meta.url, path: './quick-check-thread' } as const
  try {
    return await runOnThread<string, readonly string[]>(file, path, { signal: limit.signal })
  } finally {
    clearTimeout(timer)
  }
}

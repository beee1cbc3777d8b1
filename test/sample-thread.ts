import { serveThread, type ThreadCall } from '../src/core/threads/serve-thread.ts'
import type { SampleRequest } from '../src/core/threads/thread.test.ts'

// The thread of src/core/threads/thread.test.ts.

serveThread(work, { isBackground: false })

async function work(
  { act, secret, bytes }: SampleRequest,
  { note }: ThreadCall<number>,
): Promise<string> {
  if (act === 'fail') {
    const error = new RangeError('no', { cause: new Error('a cause') })
    throw Object.assign(error, { code: 'ENOSPC' })
  }
  if (act === 'exit') process.exit(3)
  if (act === 'hang') {
    void note(1)
    await new Promise((resolve) => setImmediate(resolve)) // the note is sent
    for (;;);
  }
  if (act === 'count') {
    for (const number of [1, 2, 3]) await note(number)
    return 'counted'
  }
  return `${secret?.reveal()} ${bytes} of ${bytes?.buffer.byteLength}`
}

import { once } from 'node:events'
import { resolve } from 'node:path'
import { importTest } from './test-scopes.ts'

/**
 * A process of `npm test`: asks its parent for a file, runs its tests by `node:test`, and asks for
 * the next. One file at a time, because many suites start their services when they are imported.
 */
const test = await importTest()
const { after } = await import('node:test')
// A test may wait for what keeps no process alive, as a child process that it does not hold.
const maxBytes = 1_200_000_000 // node:test keeps all that the tests of a process made
const alive = setInterval(() => {}, 60_000)
const end = () => process.exit(1) // the run was killed
process.once('disconnect', end)
for (;;) {
  process.send?.({ next: process.memoryUsage.rss() < maxBytes })
  const [file] = await once(process, 'message')
  if (file === '') break
  await import(resolve(file)).catch((error: unknown) => {
    test('the import of the file', () => Promise.reject(error))
  })
  // node:test runs the hooks of a file after its tests and does not wait for them. This is the last.
  const closed = new Promise<void>((resolve) => after(() => resolve()))
  await test(`end of ${file}`, () => {}) // runs after the tests of the file
  await endOfHooks(file, closed)
}
clearInterval(alive)
process.off('disconnect', end)
process.disconnect?.()
setTimeout(() => process.exit(), 5000).unref() // a handle that a test left open

/** Ends the process, which fails the file, if a hook hangs or a failed hook has stopped the others. */
async function endOfHooks(file: string, closed: Promise<void>): Promise<void> {
  const seconds = 120
  const timer = setTimeout(() => {
    process.stderr.write(`${file}: a hook failed or did not end within ${seconds} s\n`)
    process.exit(2)
  }, seconds * 1000)
  await closed
  clearTimeout(timer)
}

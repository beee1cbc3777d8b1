import { after } from 'node:test'

/**
 * Runs the work after the test, suite or file that calls this, and then forgets it: node:test keeps the
 * hooks of all tests of a process, and a hook would keep the service that it has closed.
 */
export function afterwards(work: () => Promise<void> | void): void {
  let kept: typeof work | undefined = work
  after(async () => {
    const run = kept
    kept = undefined
    await run?.()
  })
}

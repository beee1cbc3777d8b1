import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callerOf } from './http.ts'
import { startNode } from './node.ts'
import { waitMs, waitUntil } from './waiting.ts'

/** What nobody catches, in a process that is told to make the mistake by a signal. */
const faults = {
  'an exception in a timer': `setTimeout(() => { throw new Error('the fault') }, 1)`,
  'a rejection without a handler': `void Promise.reject(new Error('the fault'))`,
  'a stack that overflows': `setImmediate(function fault() { fault() })`,
} as const

suite('R13: a fault that nobody caught', () => {
  test('is told, readiness goes, what is under way is answered, and the exit code is not 0', async () => {
    await Promise.all(
      Object.entries(faults).map(async ([name, code]) => {
        const preload = `process.on('SIGUSR2', () => { ${code} })`
        const flags = ['--import', `data:text/javascript,${encodeURIComponent(preload)}`]
        const node = await startNode({ flags })
        const fresh = callerOf(node.service.url, { keepAlive: false })
        try {
          const { process: child } = node.service
          const underWay = [node.login('token'), node.login('session')]
          await waitMs(20)
          const exited = new Promise((resolve) => child.once('exit', resolve))
          child.ref()
          child.kill('SIGUSR2')
          const notReadyMs = await waitUntil(
            'red readiness',
            async () => (await fresh.call('GET', '/health/ready')).status !== 200,
          )
          assert.ok(notReadyMs < 1000, `${name}: ${notReadyMs} ms`)
          assert.equal(await exited, 1, name)
          for (const { status } of await Promise.all(underWay)) assert.equal(status, 200, name)
          assert.match(node.service.output(), /"level":"fatal".*(the fault|call stack)/)
          assert.equal((await fresh.call('GET', '/health/live')).status, 0)
        } finally {
          fresh.close()
          await node.remove()
        }
      }),
    )
  })
})

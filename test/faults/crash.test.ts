import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { callerOf } from './http.ts'
import { startNode } from './node.ts'
import { preloaded, whenRead } from './preload.ts'
import { waitUntil } from './waiting.ts'

/** An error that nothing catches, in a process that makes the mistake as soon as it has read two logins. */
const faults = {
  'an exception in a timer': `setTimeout(() => { throw new Error('the fault') }, 1)`,
  'a rejection without a handler': `void Promise.reject(new Error('the fault'))`,
  'a stack that overflows': `setImmediate(function fault() { fault() })`,
} as const

suite('R13: a fault that nothing caught', () => {
  for (const [name, code] of Object.entries(faults)) {
    test(`${name} is told, readiness goes, what is under way is answered, and the exit code is not 0`, async () => {
      const node = await startNode({ flags: preloaded(whenRead('/login', 2, code)) })
      const fresh = callerOf(node.service.url, { keepAlive: false })
      try {
        const exited = node.ended()
        const underWay = [node.login('token'), node.login('session')]
        await waitUntil('the fault is told', () =>
          node.service.output().includes('"level":"fatal"'),
        )
        // Sent after it was told: not one of them may find the process ready.
        const notReady = await fresh.call('GET', '/health/ready')
        assert.ok([0, 503].includes(notReady.status), String(notReady.status))
        assert.equal(await exited, 1)
        for (const { status } of await Promise.all(underWay)) assert.equal(status, 200)
        assert.match(node.service.output(), /"level":"fatal".*(the fault|call stack)/)
        assert.equal((await fresh.call('GET', '/health/live')).status, 0)
      } finally {
        fresh.close()
        await node.remove()
      }
    })
  }
})

import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fixedClock } from '../../../test/clock.ts'
import { standingTime } from '../../../test/standing-time.ts'
import { createWaitQueues, type Waiter } from './wait-queues.ts'

suite('wait queues', () => {
  const clock = fixedClock()
  const fresh = (t: TestContext) => {
    standingTime(t) // otherwise the first waiter also wakes after 100 ms of real time
    const queues = createWaitQueues(clock, 100)
    const woken: string[] = []
    const join = (name: string, key = 'key') => {
      const waiter = queues.join(key, queues.notifications())
      wait(name, waiter)
      return waiter
    }
    const wait = (name: string, waiter: Waiter) => {
      void waiter.wait(2000).then(() => woken.push(name))
    }
    const settled = async () => {
      await setImmediate()
      return woken.splice(0)
    }
    return { queues, join, wait, settled }
  }

  test('a notification wakes only the first waiter, and only of its own key', async (t) => {
    const { queues, join, settled } = fresh(t)
    join('a')
    join('b')
    join('c', 'another key')
    queues.notify('key')
    assert.deepEqual(await settled(), ['a'])
    queues.notify('a key without waiters')
    assert.deepEqual(await settled(), [])
  })

  test('a waiter that leaves wakes the next one', async (t) => {
    const { queues, join, settled } = fresh(t)
    const first = join('a')
    join('b')
    queues.notify('key')
    await settled()
    first.leave()
    assert.deepEqual(await settled(), ['b'])
  })

  test('a notification between a check and the next wait is not lost', async (t) => {
    const { queues, join, wait, settled } = fresh(t)
    const waiter = join('a')
    queues.notify('key')
    assert.deepEqual(await settled(), ['a'])
    queues.notify('key') // during its check
    wait('a again', waiter)
    assert.deepEqual(await settled(), ['a again'])
  })

  test('a notification between the first check and the joining is not lost', async (t) => {
    const { queues, wait, settled } = fresh(t)
    const before = queues.notifications()
    queues.notify('key')
    wait('a', queues.join('key', before))
    wait('b', queues.join('key', before)) // not the first: a wakes it
    assert.deepEqual(await settled(), ['a'])
  })

  test('the first waiter polls every 100 ms, the others wait to the end', async (t) => {
    const { join, settled } = fresh(t)
    join('a')
    join('b')
    clock.advance(0.1)
    assert.deepEqual(await settled(), ['a'])
    clock.advance(1.899)
    assert.deepEqual(await settled(), [])
    clock.advance(0.001)
    assert.deepEqual(await settled(), ['b'])
  })
})

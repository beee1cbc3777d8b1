import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fixedClock } from '../../test/clock.ts'
import { standingTime } from '../../test/standing-time.ts'
import { createLines, type Spot } from './lines.ts'

suite('lines', () => {
  const clock = fixedClock()
  const fresh = (t: TestContext) => {
    standingTime(t) // else who waits looks after 100 ms of a busy machine, too
    const lines = createLines(clock, 100)
    const woken: string[] = []
    const join = (name: string, line = 'key') => {
      const spot = lines.join(line, lines.calls())
      wait(name, spot)
      return spot
    }
    const wait = (name: string, spot: Spot) => {
      void spot.wait(2000).then(() => woken.push(name))
    }
    const settled = async () => {
      await setImmediate()
      return woken.splice(0)
    }
    return { lines, join, wait, settled }
  }

  test('a call wakes the first alone, and of its own line alone', async (t) => {
    const { lines, join, settled } = fresh(t)
    join('a')
    join('b')
    join('c', 'another key')
    lines.call('key')
    assert.deepEqual(await settled(), ['a'])
    lines.call('nobody waits here')
    assert.deepEqual(await settled(), [])
  })

  test('a waiter that leaves calls the next one', async (t) => {
    const { lines, join, settled } = fresh(t)
    const first = join('a')
    join('b')
    lines.call('key')
    await settled()
    first.leave()
    assert.deepEqual(await settled(), ['b'])
  })

  test('a call between the look and the wait is not missed', async (t) => {
    const { lines, join, wait, settled } = fresh(t)
    const spot = join('a')
    lines.call('key')
    assert.deepEqual(await settled(), ['a'])
    lines.call('key') // while it looks
    wait('a again', spot)
    assert.deepEqual(await settled(), ['a again'])
  })

  test('a call between the first look and the joining is not missed', async (t) => {
    const { lines, wait, settled } = fresh(t)
    const callsBeforeLook = lines.calls()
    lines.call('key')
    wait('a', lines.join('key', callsBeforeLook))
    wait('b', lines.join('key', callsBeforeLook)) // behind somebody who will look
    assert.deepEqual(await settled(), ['a'])
  })

  test('the first looks every 100 ms for other processes, those behind wait to the end', async (t) => {
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

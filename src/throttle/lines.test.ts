import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fixedClock } from '../../test/clock.ts'
import { createLines, type Spot } from './lines.ts'

suite('lines', () => {
  const clock = fixedClock()
  const fresh = () => {
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

  test('a call wakes the first alone, and of its own line alone', async () => {
    const { lines, join, settled } = fresh()
    join('a')
    join('b')
    join('c', 'another key')
    lines.call('key')
    assert.deepEqual(await settled(), ['a'])
    lines.call('nobody waits here')
    assert.deepEqual(await settled(), [])
  })

  test('whoever leaves calls the next one', async () => {
    const { lines, join, settled } = fresh()
    const first = join('a')
    join('b')
    lines.call('key')
    await settled()
    first.leave()
    assert.deepEqual(await settled(), ['b'])
  })

  test('a call between the look and the wait is not missed', async () => {
    const { lines, join, wait, settled } = fresh()
    const spot = join('a')
    lines.call('key')
    assert.deepEqual(await settled(), ['a'])
    lines.call('key') // while it looks
    wait('a again', spot)
    assert.deepEqual(await settled(), ['a again'])
  })

  test('a call between the first look and the joining is not missed', async () => {
    const { lines, wait, settled } = fresh()
    const callsBeforeLook = lines.calls()
    lines.call('key')
    wait('a', lines.join('key', callsBeforeLook))
    wait('b', lines.join('key', callsBeforeLook)) // behind somebody who will look
    assert.deepEqual(await settled(), ['a'])
  })

  test('the first looks every 100 ms for other processes, those behind wait to the end', async () => {
    const { join, settled } = fresh()
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

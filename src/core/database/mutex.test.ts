import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DatabaseUnavailable } from './errors.ts'
import { Deadline, Mutex } from './mutex.ts'

suite('mutex', () => {
  test('one at a time, in the order of arrival', async () => {
    const mutex = new Mutex()
    const order: number[] = []
    let inside = 0
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const leave = await mutex.enter(new Deadline(1000))
        inside += 1
        assert.equal(inside, 1)
        order.push(index)
        await new Promise(setImmediate)
        inside -= 1
        leave()
        leave() // twice is once
      }),
    )
    assert.deepEqual(order, [...Array(50).keys()])
  })

  test('a waiter that waits too long is refused, and later ones can enter', async () => {
    const mutex = new Mutex()
    const leave = await mutex.enter(new Deadline(10))
    const impatient = mutex.enter(new Deadline(10))
    const patient = mutex.enter(new Deadline(5000))
    await assert.rejects(impatient, DatabaseUnavailable)
    leave()
    ;(await patient)()
    ;(await mutex.enter(new Deadline(10)))()
  })

  test('a limit larger than a timer can hold is no limit, rather than none', async () => {
    const mutex = new Mutex()
    const leave = await mutex.enter(new Deadline(10))
    const waiting = mutex.enter(new Deadline(2 ** 31))
    const early = Promise.race([
      waiting.then(
        () => 'entered',
        () => 'refused',
      ),
      // biome-ignore lint/plugin: a timer of 30 ms runs after the wrong one of 1 ms, however late both are
      new Promise((resolve) => setTimeout(resolve, 30, 'waits')),
    ])
    assert.equal(await early, 'waits')
    leave()
    ;(await waiting)()
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createTurns } from './turns.ts'

suite('work in turns of the event loop', () => {
  test('a turn starts so much, and later turns the rest in its order', async () => {
    const inTurn = createTurns(2)
    const started: number[] = []
    for (let each = 1; each <= 5; each += 1) inTurn(() => started.push(each))
    assert.deepEqual(started, [1, 2])
    await setImmediate()
    assert.deepEqual(started, [1, 2, 3, 4])
    inTurn(() => started.push(6))
    assert.deepEqual(started, [1, 2, 3, 4], 'it does not overtake what waits')
    await setImmediate()
    assert.deepEqual(started, [1, 2, 3, 4, 5, 6])
    await setImmediate()
    inTurn(() => started.push(7))
    assert.deepEqual(started.at(-1), 7)
  })

  test('what a start adds in its turn starts behind what waits', async () => {
    const inTurn = createTurns(2)
    const started: string[] = []
    const start = (name: string) => () => void started.push(name)
    for (const name of ['a', 'b']) inTurn(start(name))
    inTurn(() => {
      started.push('c')
      inTurn(start('e'))
    })
    inTurn(start('d'))
    await setImmediate()
    assert.deepEqual(started, ['a', 'b', 'c', 'd'])
    await setImmediate()
    assert.deepEqual(started, ['a', 'b', 'c', 'd', 'e'])
  })

  test('an error of one is passed to its caller, and the others start', async () => {
    const inTurn = createTurns(1)
    let started = 0
    assert.throws(() =>
      inTurn(() => {
        throw new Error('as if it failed')
      }),
    )
    inTurn(() => {
      started += 1
    })
    await setImmediate()
    assert.equal(started, 1)
  })
})

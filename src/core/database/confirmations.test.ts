import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { confirmedLater, confirming } from './confirmations.ts'

suite('waits for the confirmations of nodes', () => {
  test('are put off to the end of the enclosing work, and then all awaited', async () => {
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const order: string[] = []
    const done = confirming(async () => {
      await confirmedLater(first.promise)
      await confirmedLater(second.promise)
      order.push('work')
      return 7
    }).then((result) => {
      order.push('confirmed')
      return result
    })
    await new Promise(setImmediate)
    assert.deepEqual(order, ['work'])
    second.resolve()
    await new Promise(setImmediate)
    assert.deepEqual(order, ['work'])
    first.resolve()
    assert.equal(await done, 7)
  })

  test('happen at once without an enclosing work', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    let isDone = false
    const waiting = confirmedLater(promise).then(() => {
      isDone = true
    })
    await new Promise(setImmediate)
    assert.equal(isDone, false)
    resolve()
    await waiting
  })

  test('are none for work that throws', async () => {
    const never = new Promise<void>(() => {})
    const failing = confirming(async () => {
      await confirmedLater(never)
      throw new Error('of the work')
    })
    await assert.rejects(failing, /of the work/)
  })
})

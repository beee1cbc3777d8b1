import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import { workQueue } from './work-queue.ts'

function queueOf(running: number, waiting: number) {
  const queue = workQueue({ running, waiting, retryAfterSeconds: 3, reason: 'as if it were full' })
  const started: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  return {
    queue,
    started,
    run: (name: string) =>
      queue.run(async () => {
        started.push(name)
        const gate = Promise.withResolvers<void>()
        gates.set(name, gate)
        await gate.promise
        return name
      }),
    async end(name: string, error?: Error) {
      if (error) gates.get(name)?.reject(error)
      else gates.get(name)?.resolve()
      await setImmediate()
    },
  }
}

suite('a queue of tasks', () => {
  test('runs so many at once, in the order in which they came', async () => {
    const { end, queue, run, started } = queueOf(2, 2)
    assert.deepEqual(queue.state(), { running: 0, waiting: 0 })
    const all = ['a', 'b', 'c', 'd'].map(run)
    assert.deepEqual(started, ['a', 'b'])
    assert.deepEqual(queue.state(), { running: 2, waiting: 2 })
    await end('b')
    assert.deepEqual(started, ['a', 'b', 'c'])
    assert.deepEqual(queue.state(), { running: 2, waiting: 1 })
    await end('a')
    assert.deepEqual(started, ['a', 'b', 'c', 'd'])
    assert.deepEqual(queue.state(), { running: 2, waiting: 0 })
    await end('c')
    assert.deepEqual(queue.state(), { running: 1, waiting: 0 })
    await end('d')
    assert.deepEqual(queue.state(), { running: 0, waiting: 0 })
    assert.deepEqual(await Promise.all(all), ['a', 'b', 'c', 'd'])
  })

  test('refuses one more than may wait, without running it', async () => {
    const { end, queue, run, started } = queueOf(1, 1)
    const all = [run('a'), run('b')]
    await assert.rejects(run('c'), (error: unknown) => {
      assert.ok(error instanceof ApiError)
      const { row, cause, reason, retryAfterSeconds } = error
      assert.deepEqual(
        [row, cause, retryAfterSeconds],
        ['serviceUnavailable', 'as if it were full', 3],
      )
      assert.deepEqual(reason, { code: 'queue_full', facts: { queue: 'as if it were full' } })
      return true
    })
    assert.deepEqual(queue.state(), { running: 1, waiting: 1 })
    await end('a')
    await end('b')
    assert.deepEqual(await Promise.all(all), ['a', 'b'])
    assert.deepEqual(started, ['a', 'b'])
  })

  test('of none that may wait refuses the second, and takes the next after the first', async () => {
    const { end, run } = queueOf(1, 0)
    const first = run('a')
    await assert.rejects(run('b'), ApiError)
    await end('a')
    const next = run('c')
    await end('c')
    assert.deepEqual([await first, await next], ['a', 'c'])
  })

  test('goes on after a task that failed', async () => {
    const { end, queue, run } = queueOf(1, 1)
    const failing = assert.rejects(run('a'), /away/)
    const next = run('b')
    await end('a', new Error('away'))
    await failing
    await end('b')
    assert.equal(await next, 'b')
    assert.deepEqual(queue.state(), { running: 0, waiting: 0 })
  })
})

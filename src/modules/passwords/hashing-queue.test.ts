import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError } from '../../core/errors.ts'
import { shareOf } from '../../core/workers/workers.ts'
import { hashingQueue } from './hashing-queue.ts'

/** Work that ends when it is told to. */
function job<T>(value: T) {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  let started = false
  const work = () => {
    started = true
    return promise
  }
  return { work, end: () => resolve(value), fail: reject, hasStarted: () => started }
}

/** Lets all work run that waits for nothing else. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

const isFull = (error: unknown) =>
  error instanceof ApiError &&
  error.row === 'serviceUnavailable' &&
  error.status === 503 &&
  error.retryAfterSeconds === 2

suite('the hashing queue', () => {
  test('answers what the work answers', async () => {
    assert.equal(await hashingQueue({ running: 1 }).run(async () => 'made'), 'made')
  })

  test('T33: runs so many at once and no more, the others in the order of arrival', async () => {
    const queue = hashingQueue({ running: 2, waiting: 10 })
    const jobs = Array.from({ length: 6 }, (_, index) => job(index))
    const answers = jobs.map(({ work }) => queue.run(work))
    const started = () => jobs.map((one) => one.hasStarted()).filter(Boolean).length
    await settle()
    assert.equal(started(), 2)
    for (const [index, one] of jobs.entries()) {
      assert.ok(one.hasStarted(), `${index} has started`)
      one.end()
      await settle()
      assert.equal(started(), Math.min(6, index + 3))
    }
    assert.deepEqual(await Promise.all(answers), [0, 1, 2, 3, 4, 5])
  })

  test('T33: refuses at once what finds no place to wait, and never runs it', async () => {
    const queue = hashingQueue({ running: 1, waiting: 2 })
    const jobs = [job('a'), job('b'), job('c')]
    const answers = jobs.map(({ work }) => queue.run(work))
    const late = job('late')
    await assert.rejects(queue.run(late.work), isFull)
    await assert.rejects(queue.run(late.work), isFull)
    for (const { end } of jobs) end()
    assert.deepEqual(await Promise.all(answers), ['a', 'b', 'c'])
    assert.equal(late.hasStarted(), false)
    assert.equal(await queue.run(async () => 'room again'), 'room again')
  })

  test('a place becomes free when the work fails, and the failure is the caller’s alone', async () => {
    const queue = hashingQueue({ running: 1, waiting: 1 })
    const [bad, good] = [job('bad'), job('good')]
    const failed = queue.run(bad.work)
    const waits = queue.run(good.work)
    bad.fail(new Error('no memory'))
    await assert.rejects(failed, /no memory/)
    good.end()
    assert.equal(await waits, 'good')
    await assert.rejects(
      queue.run(() => {
        throw new Error('at once')
      }),
      /at once/,
    )
    assert.equal(await queue.run(async () => 'room again'), 'room again')
  })

  test('workers divide its places, and each has one at least', async () => {
    const queue = hashingQueue({
      running: 2,
      share: (total) => shareOf(total, { index: 1, count: 64 }),
    })
    assert.equal(queue.concurrency, 1)
    const { work, end } = job(1)
    const runs = [1, 2, 3].map(() => queue.run(work)) // 128 / 64 may wait
    await assert.rejects(queue.run(work), isFull)
    end()
    await Promise.all(runs)
  })

  test('a caller that arrives between two jobs does not overtake the waiting ones', async () => {
    const queue = hashingQueue({ running: 1, waiting: 2 })
    const [first, second, third] = [job(1), job(2), job(3)]
    const order: number[] = []
    const run = (one: typeof first) => queue.run(one.work).then((value) => order.push(value))
    const runs = [run(first), run(second)]
    first.end()
    runs.push(run(third))
    await settle()
    assert.deepEqual([second.hasStarted(), third.hasStarted()], [true, false])
    third.end()
    second.end()
    await Promise.all(runs)
    assert.deepEqual(order, [1, 2, 3])
  })

  test('without room to wait it still runs as many as it may', async () => {
    const queue = hashingQueue({ running: 1, waiting: 0 })
    const one = job('one')
    const answer = queue.run(one.work)
    await assert.rejects(
      queue.run(async () => 'two'),
      isFull,
    )
    one.end()
    assert.equal(await answer, 'one')
  })
})

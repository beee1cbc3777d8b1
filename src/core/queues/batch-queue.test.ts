import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import { type BatchQueueOptions, createBatchQueue } from './batch-queue.ts'

const isRefusal = (error: unknown) =>
  error instanceof ApiError && error.row === 'serviceUnavailable' && error.retryAfterSeconds === 1

/** A queue with batches that end when they are told to. */
function queueOf(options: BatchQueueOptions = {}) {
  const queue = createBatchQueue(options)
  const atWork = new Map<string, PromiseWithResolvers<void>>()
  const begun: string[] = []
  return {
    begun,
    atWork: () => [...atWork.keys()],
    make(
      name: string,
      { mayBeRefused = true, signal = new AbortController().signal, caller = name[0] ?? '' } = {},
    ) {
      const work = async () => {
        const gate = Promise.withResolvers<void>()
        begun.push(name)
        atWork.set(name, gate)
        await gate.promise
        return name
      }
      return queue.make(work, { caller, mayBeRefused, signal })
    },
    async end(name: string, error?: Error) {
      const gate = atWork.get(name)
      atWork.delete(name)
      if (error) gate?.reject(error)
      else gate?.resolve()
      for (let turn = 0; turn < 3; turn += 1) await setImmediate()
    },
  }
}

suite('batches of bulk answers', () => {
  test('two are made at once, one of each caller, the rest in the order in which they came', async () => {
    const queue = queueOf()
    const made = ['a1', 'a2', 'b1', 'c1', 'a3', 'b2'].map((name) => queue.make(name))
    assert.deepEqual(queue.atWork(), ['a1', 'b1'])
    await queue.end('b1')
    assert.deepEqual(queue.atWork(), ['a1', 'c1']) // a2 came before, but a1 is under way
    await queue.end('a1')
    assert.deepEqual(queue.atWork(), ['c1', 'a2'])
    await queue.end('c1')
    assert.deepEqual(queue.atWork(), ['a2', 'b2'])
    await queue.end('b2')
    assert.deepEqual(queue.atWork(), ['a2']) // a3 waits for a2, though another could run
    await queue.end('a2')
    await queue.end('a3')
    assert.deepEqual(await Promise.all(made), ['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
    assert.deepEqual(queue.begun, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  })

  test('the next batch starts after one that failed', async () => {
    const queue = queueOf({ maxRunning: 1 })
    const failing = queue.make('a1')
    const next = queue.make('b1')
    const refused = assert.rejects(failing, /away/)
    await queue.end('a1', new Error('away'))
    await refused
    assert.deepEqual(queue.atWork(), ['b1'])
    await queue.end('b1')
    assert.equal(await next, 'b1')
  })

  test('one more is refused if too many wait, of one caller or in all; other callers are not', async () => {
    const queue = queueOf({ maxWaiting: 3, maxWaitingPerCaller: 2 })
    const made = ['a1', 'a2', 'a3'].map((name) => queue.make(name))
    await assert.rejects(queue.make('a4'), isRefusal)
    made.push(queue.make('b1')) // starts at once
    made.push(queue.make('c1')) // the third that waits
    await assert.rejects(queue.make('d1'), isRefusal)
    assert.deepEqual(queue.begun, ['a1', 'b1'])
    for (const name of ['a1', 'b1', 'a2', 'c1', 'a3']) await queue.end(name)
    assert.deepEqual(await Promise.all(made), ['a1', 'a2', 'a3', 'b1', 'c1'])
    const later = queue.make('d1')
    await queue.end('d1')
    assert.equal(await later, 'd1')
  })

  test('a batch that may not be refused waits behind any number', async () => {
    const queue = queueOf({ maxWaiting: 0 })
    const first = queue.make('a1')
    await assert.rejects(queue.make('a2'), isRefusal)
    const later = queue.make('a3', { mayBeRefused: false })
    await queue.end('a1')
    await queue.end('a3')
    assert.deepEqual([await first, await later], ['a1', 'a3'])
  })

  test('a client that is gone leaves the queue', async () => {
    const queue = queueOf({ maxRunning: 1, maxWaiting: 1 })
    const first = queue.make('a1')
    const gone = new AbortController()
    const waiting = queue.make('b1', { signal: gone.signal })
    const left = assert.rejects(waiting, { row: 'badRequest' })
    gone.abort()
    await left
    await assert.rejects(queue.make('b2', { signal: gone.signal }), { row: 'badRequest' })
    const next = queue.make('c1') // waits instead of b1
    await queue.end('a1')
    await queue.end('c1')
    assert.deepEqual([await first, await next], ['a1', 'c1'])
    assert.deepEqual(queue.begun, ['a1', 'c1'])
  })

  test('a client that is gone after its start takes no other from the queue', async () => {
    const queue = queueOf({ maxRunning: 1 })
    const gone = new AbortController()
    const made = [queue.make('a1'), queue.make('b1', { signal: gone.signal }), queue.make('c1')]
    await queue.end('a1')
    assert.deepEqual(queue.atWork(), ['b1'])
    gone.abort()
    await queue.end('b1')
    await queue.end('c1')
    assert.deepEqual(queue.begun, ['a1', 'b1', 'c1'])
    assert.deepEqual(await Promise.all(made), ['a1', 'b1', 'c1'])
  })

  test('a caller may have more than one at once', async () => {
    const queue = queueOf({ maxRunning: 3, maxRunningPerCaller: 2 })
    const made = ['a1', 'a2', 'a3', 'b1', 'a4'].map((name) => queue.make(name))
    assert.deepEqual(queue.atWork(), ['a1', 'a2', 'b1'])
    for (const name of ['a1', 'a2', 'b1', 'a3', 'a4']) await queue.end(name)
    assert.deepEqual(await Promise.all(made), ['a1', 'a2', 'a3', 'b1', 'a4'])
  })

  test('so many may wait if nothing else is said: 64 of a caller, 256 in all', async () => {
    const queue = queueOf()
    const gone = new AbortController()
    const make = (name: string, caller: string) => queue.make(name, { caller, signal: gone.signal })
    const made = Array.from({ length: 65 }, (_, at) => make(`a${at}`, 'a'))
    await assert.rejects(make('a65', 'a'), isRefusal)
    made.push(make('b', 'b'))
    for (let at = 64; at < 256; at += 1) made.push(make(`c${at}`, `c${at}`))
    await assert.rejects(make('d', 'd'), isRefusal)
    assert.deepEqual(queue.begun, ['a0', 'b'])
    const settled = Promise.allSettled(made)
    gone.abort()
    for (const name of ['a0', 'b']) await queue.end(name)
    const ends = await settled
    assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 2)
    assert.equal(ends.length, 258)
  })
})

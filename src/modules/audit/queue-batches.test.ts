import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { seededRandom } from '../../../test/random.ts'
import { CommitRefused, DatabaseUnavailable } from '../../core/database/errors.ts'
import type { RecordedEvent } from '../../core/events/events.ts'
import type { Entry } from './make-record.ts'
import { createEventQueue } from './queue.ts'

suite('the batches of the queue of events', () => {
  interface Given {
    readonly outcome?: 'success' | 'failure'
    readonly requestId?: string | null
    readonly request?: object | null
  }

  function queueOf(write: (entries: readonly Entry[]) => Promise<void> = async () => {}) {
    const clock = fixedClock()
    const batches: (readonly Entry[])[] = []
    const failures: unknown[] = []
    const mayBeThere: boolean[] = []
    const queue = createEventQueue({
      ...{ clock, random: seededRandom(7), dropped: () => {}, hasLost: () => {} },
      failed: (error) => failures.push(error),
      async write(entries, isUnknown) {
        mayBeThere.push(isUnknown)
        batches.push(entries.map((entry) => ({ ...entry })))
        await write(entries)
      },
    })
    function add({ outcome = 'failure', requestId = 'r', request = {} }: Given = {}) {
      const context = { requestId, request }
      const type = { name: 'n', outcome }
      queue.enqueue({ type, context, payload: {}, at: clock.now() } as unknown as RecordedEvent) // what is read
    }
    return {
      add,
      batches,
      clock,
      failures,
      mayBeThere,
      queue,
      sizes: () => batches.map(({ length }) => length),
    }
  }

  for (const given of [
    { requestId: null },
    { request: null },
    { requestId: null, request: null },
    { outcome: 'success' },
  ] as const) {
    test(`an event with ${JSON.stringify(given)} waits for no answer`, async () => {
      const { add, queue, sizes } = queueOf()
      add(given)
      await queue.run()
      assert.deepEqual(sizes(), [1])
    })
  }

  test('a success of a request that is refused has the answer of no refusal', async () => {
    const { add, batches, queue } = queueOf()
    add({ outcome: 'success' })
    queue.refused('r', 401, 'x')
    add({ outcome: 'success' })
    add()
    await queue.run()
    assert.deepEqual(
      batches.flat().map(({ reason, status }) => [status, reason]),
      [
        [undefined, undefined],
        [undefined, undefined],
        [401, 'x'],
      ],
    )
  })

  test('a batch is no larger where a later event waits for its answer', async () => {
    const { add, queue, sizes } = queueOf()
    for (let count = 0; count < 70; count += 1) add({ request: null })
    add()
    await queue.run()
    assert.deepEqual(sizes(), [64, 6])
    assert.equal(queue.state().waiting, 1)
  })

  test('calls at the same time write each event once, in turn', async () => {
    const { add, queue, sizes } = queueOf(async () => {
      await Promise.resolve()
    })
    add({ request: null })
    await Promise.all([queue.run(), queue.flush(), queue.run()])
    assert.deepEqual([sizes(), queue.state().waiting], [[1], 0])
  })

  test('a failure is reported once, and tried again after a second', async () => {
    let isAway = true
    const { add, clock, failures, queue, sizes } = queueOf(async () => {
      if (isAway) throw new DatabaseUnavailable('away')
    })
    add({ request: null })
    await queue.run()
    clock.advance(0.999)
    await queue.run()
    assert.deepEqual([sizes(), failures.length, queue.state().oldestMs], [[1], 1, 999])
    clock.advance(0.001)
    await queue.run()
    assert.deepEqual([sizes(), failures.length], [[1, 1], 1])
    isAway = false
    clock.advance(1)
    await queue.run()
    assert.deepEqual([sizes(), queue.state().waiting], [[1, 1, 1], 0])
    isAway = true
    add({ request: null })
    await queue.run()
    assert.equal(failures.length, 2)
  })

  test('a batch is split only if the log refuses it', async () => {
    const errors = [new DatabaseUnavailable('away'), new CommitRefused('no', { cause: 'full' })]
    for (const [error, count, expected] of [
      [errors[0], 2, [2]],
      [errors[1], 1, [1]],
      [errors[1], 2, [2, 1, 1]],
    ] as const) {
      const { add, failures, queue, sizes } = queueOf(async () => {
        throw error
      })
      for (let added = 0; added < count; added += 1) add({ request: null })
      await queue.run()
      assert.deepEqual([sizes(), failures, queue.state().waiting], [expected, [error], count])
    }
  })

  test('an event of a split batch whose end is unknown may be there', async () => {
    const errors = [
      new CommitRefused('no', { cause: 'full' }),
      undefined,
      new DatabaseUnavailable('the answer was lost'),
    ]
    const { add, mayBeThere, queue, sizes } = queueOf(async () => {
      const error = errors.shift()
      if (error) throw error
    })
    for (let count = 0; count < 2; count += 1) add({ request: null })
    await queue.run()
    await queue.flush()
    assert.deepEqual(sizes(), [2, 1, 1, 1])
    assert.deepEqual(mayBeThere, [false, true, true, true])
    add({ request: null })
    await queue.flush()
    assert.equal(mayBeThere.at(-1), false)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { fixedClock } from '../../../test/clock.ts'
import { seededRandom } from '../../../test/random.ts'
import { CommitRefused, DatabaseUnavailable } from '../../core/database/errors.ts'
import type { RecordedEvent } from '../../core/events/events.ts'
import type { Entry } from './make-record.ts'
import { createEventQueue } from './queue.ts'

type Write = (entries: readonly Entry[], mayBeThere: boolean) => void | Promise<void>

function queueOf(write: Write = () => {}) {
  const clock = fixedClock()
  const written: string[] = []
  const calls: [number, boolean][] = []
  const told = { failed: 0, lost: [] as number[], dropped: [] as string[][] }
  const entries: Entry[] = []
  const queue = createEventQueue({
    clock,
    random: seededRandom(7),
    async write(given, mayBeThere) {
      calls.push([given.length, mayBeThere])
      await write(given, mayBeThere)
      written.push(...given.map(({ event }) => event.type.name))
      entries.push(...given.map((entry) => ({ ...entry })))
    },
    failed: () => {
      told.failed += 1
    },
    dropped: (types) => told.dropped.push([...types]),
    hasLost: (count) => told.lost.push(count),
  })
  return {
    ...{ calls, clock, entries, queue, told, written },
    add: (
      name: string,
      requestId: string | null = null,
      outcome: 'success' | 'failure' = 'failure',
    ) => queue.enqueue(eventOf(name, { requestId, outcome, at: clock.now() })),
  }
}

function eventOf(
  name: string,
  { at, outcome, requestId }: { at: number; outcome: string; requestId: string | null },
): RecordedEvent {
  const request = requestId === null ? null : { method: 'GET' }
  const context = { by: null, address: null, scheme: null, requestId, request }
  return { type: { name, outcome }, payload: {}, at, context } as unknown as RecordedEvent // what is read
}

const away = () => {
  throw new DatabaseUnavailable('away')
}

const refusing =
  (...names: string[]): Write =>
  (given) => {
    if (given.some(({ event }) => names.includes(event.type.name)))
      throw new CommitRefused('no', { cause: 'as if it were full' })
  }

suite('events that wait for the audit log', () => {
  test('are written in their order, with ids in the order of their times', async () => {
    const { add, calls, clock, entries, queue, written } = queueOf()
    add('one')
    clock.advance(1)
    add('two')
    assert.deepEqual(queue.state(), { waiting: 2, oldestMs: 1000, lost: 0 })
    await queue.run()
    assert.deepEqual(written, ['one', 'two'])
    assert.deepEqual(calls, [[2, false]])
    assert.ok((entries[0]?.id ?? '') < (entries[1]?.id ?? ''))
    assert.deepEqual(queue.state(), { waiting: 0, oldestMs: 0, lost: 0 })
    await queue.run()
    assert.deepEqual(calls, [[2, false]])
  })

  test('are written in batches', async () => {
    const { add, calls, queue, written } = queueOf()
    for (let count = 0; count < 130; count += 1) add(`e${count}`)
    await queue.run()
    assert.deepEqual(calls, [
      [64, false],
      [64, false],
      [2, false],
    ])
    assert.deepEqual(written.slice(62, 66), ['e62', 'e63', 'e64', 'e65'])
  })

  test('of a request wait for its answer, and so do those behind them', async () => {
    const { add, entries, queue, written } = queueOf()
    add('before')
    add('refused', 'r1')
    add('behind')
    await queue.run()
    assert.deepEqual(written, ['before'])
    queue.refused('r2', 404, 'other')
    await queue.run()
    assert.deepEqual(written, ['before'])
    queue.refused('r1', 401, 'wrong_password')
    await queue.run()
    assert.deepEqual(written, ['before', 'refused', 'behind'])
    assert.deepEqual([entries[1]?.status, entries[1]?.reason], [401, 'wrong_password'])
    assert.deepEqual([entries[2]?.status, entries[2]?.reason], [undefined, undefined])
  })

  test('of one request are all answered together', async () => {
    const { add, entries, queue } = queueOf()
    for (const name of ['one', 'two', 'three']) add(name, 'r1')
    queue.refused('r1', 403, null)
    await queue.run()
    assert.deepEqual(
      entries.map(({ status, reason }) => [status, reason]),
      [
        [403, null],
        [403, null],
        [403, null],
      ],
    )
  })

  test('wait for an answer for a second at most; successes do not wait', async () => {
    const { add, clock, queue, written } = queueOf()
    add('success', 'r1', 'success')
    add('failure', 'r1')
    await queue.run()
    assert.deepEqual(written, ['success'])
    clock.advance(0.999)
    await queue.run()
    assert.deepEqual(written, ['success'])
    clock.advance(0.001)
    await queue.run()
    assert.deepEqual(written, ['success', 'failure'])
  })

  test('of an answer that is being given are answered, and requests of a later turn are not', async () => {
    const { add, clock, entries, queue } = queueOf()
    queue.refused('r1', 429, 'too_many')
    add('now', 'r1')
    add('other', 'r2')
    await setImmediate()
    add('later', 'r1')
    clock.advance(1)
    await queue.run()
    assert.deepEqual(
      entries.map(({ event, status }) => [event.type.name, status]),
      [
        ['now', 429],
        ['other', undefined],
        ['later', undefined],
      ],
    )
  })

  test('are flushed without waiting for an answer', async () => {
    const { add, queue, written } = queueOf()
    add('one', 'r1')
    await queue.flush()
    assert.deepEqual(written, ['one'])
  })

  test('beyond ten thousand are lost, counted, and told of after the next write', async () => {
    const { add, queue, told } = queueOf()
    for (let count = 0; count < 10_002; count += 1) add('e')
    assert.deepEqual(queue.state(), { waiting: 10_000, oldestMs: 0, lost: 2 })
    assert.deepEqual(told.lost, [])
    await queue.run()
    assert.deepEqual(told.lost, [2])
    assert.deepEqual(queue.state(), { waiting: 0, oldestMs: 0, lost: 2 })
    add('one')
    await queue.run()
    assert.deepEqual(told.lost, [2])
  })
})

suite('a database that is away', () => {
  test('all events wait; one word of it; a second later the next attempt', async () => {
    let isAway = true
    const { add, calls, clock, queue, told, written } = queueOf(() => {
      if (isAway) away()
    })
    add('one')
    await queue.run()
    await queue.run()
    clock.advance(0.999)
    await queue.run()
    assert.deepEqual([calls.length, told.failed, queue.state().waiting], [1, 1, 1])
    clock.advance(0.001)
    await queue.run()
    assert.deepEqual([calls.length, told.failed, queue.state().waiting], [2, 1, 1])
    isAway = false
    clock.advance(1)
    add('two')
    await queue.run()
    // The first commit may have succeeded unnoticed.
    assert.deepEqual(calls, [
      [1, false],
      [1, true],
      [2, true],
    ])
    assert.deepEqual(written, ['one', 'two'])
    add('three')
    await queue.run()
    assert.deepEqual(calls.at(-1), [1, false])
    isAway = true
    add('four')
    await queue.run()
    assert.equal(told.failed, 2)
  })

  test('a flush fails, and the next work goes on', async () => {
    let isAway = true
    const { add, queue, written } = queueOf(() => {
      if (isAway) away()
    })
    add('one')
    await assert.rejects(queue.flush(), DatabaseUnavailable)
    isAway = false
    await queue.flush()
    assert.deepEqual(written, ['one'])
  })
})

suite('events that the database refuses', () => {
  test('are dropped if others are taken, which are not lost', async () => {
    const { add, calls, queue, told, written } = queueOf(refusing('bad', 'worse'))
    for (const name of ['one', 'bad', 'two', 'worse', 'bad']) add(name)
    await queue.run()
    assert.deepEqual(written, ['one', 'two'])
    assert.deepEqual(told.dropped, [['bad', 'worse']])
    assert.deepEqual(queue.state(), { waiting: 0, oldestMs: 0, lost: 3 })
    assert.deepEqual(told.lost, [3])
    assert.deepEqual(calls, [
      [5, false],
      [1, true],
      [1, true],
      [1, true],
      [1, true],
      [1, true],
    ])
    add('three')
    await queue.run()
    assert.deepEqual(calls.at(-1), [1, false])
  })

  test('all wait if none is taken, or if there is one alone', async () => {
    const { add, queue, told, written } = queueOf(refusing('bad'))
    add('bad')
    await assert.rejects(queue.flush(), CommitRefused)
    add('bad')
    await assert.rejects(queue.flush(), CommitRefused)
    assert.deepEqual([queue.state().waiting, queue.state().lost], [2, 0])
    assert.deepEqual([told.dropped, written], [[], []])
  })

  test('wait if the database goes away between', async () => {
    let calls = 0
    const { add, queue, told, written } = queueOf(() => {
      calls += 1
      if (calls === 1) throw new CommitRefused('no', { cause: 'as if it were full' })
      if (calls === 3) away()
    })
    for (const name of ['one', 'two', 'three']) add(name)
    await assert.rejects(queue.flush(), DatabaseUnavailable)
    assert.deepEqual([written, told.dropped], [['one'], []])
    assert.equal(queue.state().waiting, 2)
    await queue.flush()
    assert.deepEqual(written, ['one', 'two', 'three'])
  })

  test('all are written one by one if each is taken alone', async () => {
    let calls = 0
    const { add, queue, told, written } = queueOf(() => {
      calls += 1
      if (calls === 1) throw new CommitRefused('no', { cause: 'as if it were full' })
    })
    for (const name of ['one', 'two']) add(name)
    await queue.flush()
    assert.deepEqual([written, told.dropped, queue.state().lost], [['one', 'two'], [], 0])
  })
})

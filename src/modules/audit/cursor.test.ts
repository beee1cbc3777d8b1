import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ApiError } from '../../core/errors.ts'
import { writeCursor } from '../../core/http/lists/cursor.ts'
import { maxMissing, readPosition, readTail, writePosition, writeTail } from './cursor.ts'
import { missingAmong, seenThrough } from './tail.ts'
import { createTailReads } from './tail-reads.ts'

const isRefusal = (error: unknown) => error instanceof ApiError && error.row === 'validationFailed'
const pairs = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ number: at, until: 9 + at }))

suite('a place in the log', () => {
  test('is read as it was written', () => {
    for (const place of [
      { at: 5, number: 7 },
      { at: -5, number: 0 },
    ]) {
      assert.deepEqual(readPosition(writePosition(place)), place)
    }
    for (const tail of [
      { number: 7, missing: [] },
      { number: 0, missing: pairs(2) },
      { number: 7, missing: pairs(maxMissing) },
    ]) {
      assert.deepEqual(readTail(writeTail(tail)), tail)
    }
  })

  for (const fields of [[], [5], [5, 7, 1], [5.5, 7], [5, 7.5], ['x', 7], [5, 2 ** 53]]) {
    test(`${JSON.stringify(fields)} is no position`, () => {
      assert.throws(() => readPosition(writeCursor(fields)), isRefusal)
    })
  }

  for (const fields of [[1, 2], [1, 2, 3, 4], ['x'], [1.5], [1, 2, 'x'], [1, 2.5, 3]]) {
    test(`${JSON.stringify(fields)} is no place of the tail`, () => {
      assert.throws(() => readTail(writeCursor(fields)), isRefusal)
    })
  }

  test('of too many missing numbers is refused', () => {
    assert.throws(
      () => readTail(writeTail({ number: 1, missing: pairs(maxMissing + 1) })),
      isRefusal,
    )
    for (const text of ['', '!', 'x'.repeat(100_000)]) {
      assert.throws(() => readTail(text), isRefusal)
      assert.throws(() => readPosition(text), isRefusal)
    }
  })
})

suite('numbers whose transactions may still commit', () => {
  const now = 1000
  const until = now + 60_000
  const numbers = (found: readonly { readonly number: number }[]) =>
    found.map(({ number }) => number)

  test('are the gaps of a range, the lowest first, for a minute', () => {
    assert.deepEqual(missingAmong([2, 4, 5], { from: 1, to: 6 }, now), [
      { number: 1, until },
      { number: 3, until },
      { number: 6, until },
    ])
    assert.deepEqual(missingAmong([1, 2], { from: 1, to: 2 }, now), [])
    assert.deepEqual(missingAmong([], { from: 2, to: 1 }, now), [])
  })

  test('are the last fifty', () => {
    const found = numbers(missingAmong([], { from: 1, to: 200 }, now))
    assert.deepEqual([found.length, found[0], found.at(-1)], [50, 151, 200])
  })

  test('a gap of a thousand numbers is not looked through', () => {
    const present = Array.from({ length: 1002 }, (_, at) => 1002 - at) // 1 to 1002
    assert.deepEqual(numbers(missingAmong(present, { from: 0, to: 1001 }, now)), [0])
    assert.deepEqual(numbers(missingAmong(present, { from: 0, to: 1002 }, now)), [])
    assert.deepEqual(numbers(missingAmong(present, { from: -1, to: 1002 }, now)), [])
  })

  test('leave when their record is read or their time is over; new gaps are added', () => {
    const before = {
      number: 10,
      missing: [
        { number: 3, until: now + 1 },
        { number: 5, until: now },
        { number: 7, until: now + 1 },
      ],
    }
    assert.deepEqual(seenThrough(before, [{ number: 7 }, { number: 12 }], now), {
      number: 12,
      missing: [
        { number: 3, until: now + 1 },
        { number: 11, until },
      ],
    })
    assert.deepEqual(seenThrough(before, [], now).number, 10)
    assert.deepEqual(seenThrough(before, [{ number: 4 }], now).number, 10)
  })

  test('are fifty at most, the newest', () => {
    const missing = pairs(50).map(({ number }) => ({ number, until }))
    const after = seenThrough({ number: 100, missing }, [{ number: 103 }], now)
    assert.equal(after.missing.length, 50)
    assert.deepEqual(numbers(after.missing).slice(-2), [101, 102])
    assert.equal(after.missing[0]?.number, 2)
  })
})

suite('reads of the tail', () => {
  test('of one reader are logged once in ten minutes, and after a clock that went back', () => {
    let now = 1_000_000
    const reads = createTailReads({ clock: { now: () => now, wait: async () => {} } })
    assert.deepEqual(
      [reads.isLogged('a'), reads.isLogged('a'), reads.isLogged('b')],
      [true, false, true],
    )
    now += 599_999
    assert.equal(reads.isLogged('a'), false)
    now += 1
    assert.equal(reads.isLogged('a'), true)
    assert.equal(reads.isLogged('a'), false)
    now -= 1
    assert.equal(reads.isLogged('a'), true)
  })

  test('are remembered of a thousand readers, the latest', () => {
    let now = 0
    const reads = createTailReads({ clock: { now: () => now, wait: async () => {} } })
    for (let reader = 0; reader < 1000; reader += 1) reads.isLogged(`${reader}`)
    assert.equal(reads.isLogged('0'), false)
    now += 600_000
    assert.equal(reads.isLogged('0'), true) // the latest now
    assert.equal(reads.isLogged('1000'), true) // in place of 1
    assert.deepEqual([reads.isLogged('0'), reads.isLogged('1000')], [false, false])
    now = 1
    assert.deepEqual([reads.isLogged('2'), reads.isLogged('1')], [false, true])
  })
})

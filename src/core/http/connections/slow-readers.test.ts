import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isTooSlow, nextReading, type Reading, type Taken } from './slow-readers.ts'

const stillMs = 15_000

/** The second in which such a connection is ended; null: not in ten minutes. */
function endOf(takenAt: (second: number) => Taken, passedMs = 1_000): number | null {
  let reading: Reading | null = null
  for (let second = 0; second <= 600; second += 1) {
    reading = nextReading(reading, takenAt(second), passedMs)
    if (isTooSlow(reading, stillMs)) return second
  }
  return null
}

suite('how slowly an answer may be read', () => {
  const readers: readonly [string, (second: number) => Taken, number | null][] = [
    ['nothing', () => ({ done: 5_000, left: 70_000 }), 15],
    ['nothing from the tenth second on', (s) => ({ done: Math.min(s, 10) * 2_000, left: 0 }), 25],
    ['1,023 bytes a second', (s) => ({ done: s * 1_023, left: 0 }), 30],
    ['1,024 bytes a second', (s) => ({ done: s * 1_024, left: 0 }), null],
    ['30 KiB every 14 seconds', (s) => ({ done: Math.floor(s / 14) * 30_720, left: 0 }), null],
    ['one byte every 14 seconds', (s) => ({ done: Math.floor(s / 14), left: 0 }), 30],
    [
      'much at first, then 100 bytes a second',
      (s) => ({ done: 100_000 * Math.min(s, 20) + 100 * s, left: 0 }),
      60, // the window that follows the last full one
    ],
    ['one large write at 2,000 bytes a second', (s) => ({ done: 0, left: 2e6 - s * 2_000 }), null],
    ['one large write at 500 bytes a second', (s) => ({ done: 0, left: 2e6 - s * 500 }), 30],
    [
      'writes of 60,000 bytes at 1,500 bytes a second',
      (s) => ({ done: Math.floor(s / 40) * 60_000, left: 60_000 - (s % 40) * 1_500 }),
      null,
    ],
  ]
  for (const [what, takenAt, second] of readers) {
    test(`a client that reads ${what} is ended ${second ? `after ${second} seconds` : 'never'}`, () => {
      assert.equal(endOf(takenAt), second)
    })
  }

  test('time that does not pass ends none', () => {
    assert.equal(
      endOf(() => ({ done: 0, left: 0 }), 0),
      null,
    )
  })
})

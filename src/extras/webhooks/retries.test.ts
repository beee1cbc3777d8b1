import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { isGivenUp, pauseMs, retryAfterMs, retryMs } from './retries.ts'

const noJitter = { bytes: (length: number) => Buffer.alloc(length) }
const minute = 60_000
const hour = 60 * minute

suite('retries of a delivery', () => {
  test('follow the schedule of Standard Webhooks', () => {
    const delays = Array.from({ length: 10 }, (_, index) => retryMs(noJitter, index + 1))
    const hours = [2, 5, 10, 14, 20, 20, 20].map((count) => count * hour)
    assert.deepEqual(delays, [5000, 5 * minute, 30 * minute, ...hours])
  })

  test('end with the tenth attempt', () => {
    assert.deepEqual([isGivenUp(9, 0), isGivenUp(10, 0)], [false, true])
    assert.deepEqual([isGivenUp(9, 72 * hour), isGivenUp(10, 72 * hour)], [false, true])
  })

  test('of one that is older than three days end with the fourth', () => {
    assert.deepEqual([isGivenUp(3, 72 * hour + 1), isGivenUp(4, 72 * hour + 1)], [false, true])
  })

  test('an endpoint that fails pauses for longer each time, up to five minutes', () => {
    const pauses = [1, 2, 3, 4, 5].map((failures) => pauseMs(noJitter, failures))
    assert.deepEqual(pauses, [5000, 30_000, 2 * minute, 5 * minute, 5 * minute])
  })
})

suite('the Retry-After of an endpoint', () => {
  const now = Date.parse('2026-01-15T12:00:00Z')
  for (const [header, expected] of [
    [undefined, 0],
    ['0', 0],
    ['7', 7000],
    ['21600', 6 * hour],
    ['21601', 6 * hour],
    ['999999999', 6 * hour],
    ['Thu, 15 Jan 2026 12:00:30 GMT', 30_000],
    ['Thu, 15 Jan 2026 11:00:00 GMT', 0],
    ['Fri, 15 Jan 2027 12:00:00 GMT', 6 * hour],
    ['-5', 0],
    ['soon', 0],
    ['', 0],
  ] as const) {
    test(`${header} is a wait of ${expected} ms`, () => {
      assert.equal(retryAfterMs(header, now), expected)
    })
  }
})

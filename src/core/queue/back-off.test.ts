import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { backOffMs } from './back-off.ts'

const delays = [1000, 5000, 60_000]
/** Gives these bytes, and none more. */
const bytes = (...given: number[]) => ({
  bytes: (length: number) => Buffer.from(given.slice(0, length)),
})
const delayOf = (attempts: number, ...given: number[]) =>
  backOffMs(bytes(...given), delays, attempts)

suite('the delay before a retry', () => {
  test('grows with the attempts, and the last delay repeats', () => {
    const all = [1, 2, 3, 4, 100].map((attempts) => delayOf(attempts, 0, 0))
    assert.deepEqual(all, [1000, 5000, 60_000, 60_000, 60_000])
  })

  test('is the first delay before any attempt', () => {
    assert.deepEqual([delayOf(0, 0, 0), delayOf(-5, 0, 0)], [1000, 1000])
  })

  test('is up to a tenth shorter, in proportion to 16 random bits', () => {
    assert.equal(delayOf(3, 255, 255), 54_000)
    assert.equal(delayOf(3, 128, 0), 57_000) // 32768 / 65535 of 6000, rounded
    assert.equal(delayOf(3, 1, 0), 59_977)
    assert.equal(delayOf(3, 0, 255), 59_977)
    assert.equal(delayOf(3, 0, 11), 59_999)
  })
})

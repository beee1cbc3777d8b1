import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { judgeLives, judgeRate, judgeSlope, warm } from '../lab/soak/judge.ts'
import type { Sample } from '../lab/soak/measures.ts'
import { type Point, quantile, slopeOf } from '../lab/soak/slope.ts'

/** One value each minute. */
const minutely = (values: readonly number[]): Point[] =>
  values.map((value, minute) => ({ at: minute / 60, value }))

/** Evenly distributed from -1 to 1, the same at each run (Numerical Recipes 7.1.3). */
function* noises(seed: number): Generator<number, never> {
  for (let state = seed; ; ) {
    state = (1664525 * state + 1013904223) % 2 ** 32
    yield state / 2 ** 31 - 1
  }
}

const close = (actual: number, expected: number) =>
  assert.ok(Math.abs(actual - expected) < 1e-6, `${actual}, not ${expected}`)

suite('the slope of a measure', () => {
  test('a line has its slope, without noise', () => {
    const slope = slopeOf(minutely(Array.from({ length: 61 }, (_, minute) => 100 + minute / 2)))
    close(slope.perHour, 30)
    assert.ok(slope.noise < 1e-6)
    close(slope.mean, 115)
    close(slope.hours, 1)
    close(slope.start, 102.75)
    close(slope.end, 127.25)
  })

  test('a constant has the slope 0, without noise', () => {
    const { perHour, noise } = slopeOf(minutely(Array(30).fill(7)))
    assert.deepEqual([perHour, noise], [0, 0])
  })

  test('the noise is the 95 % interval of least squares, where samples are independent', () => {
    // The residuals alternate: they are not alike. 2.776: Student's t for four degrees of freedom.
    const { perHour, noise } = slopeOf(minutely([1, 3, 2, 5, 4, 6]))
    const [times, both, values] = [17.5, 15.5, 17.5] // sums of squares and products
    close(perHour, (60 * both) / times)
    const error = 60 * Math.sqrt((values - both ** 2 / times) / 4 / times)
    assert.ok(Math.abs(noise / (2.776 * error) - 1) < 0.01, `${noise} of ${error}`)
  })

  test('the interval has the true slope in about 19 of 20 series', () => {
    const random = noises(1)
    const isWithin = Array.from({ length: 400 }, () => {
      const values = Array.from({ length: 60 }, (_, minute) => minute + 20 * random.next().value)
      const { perHour, noise } = slopeOf(minutely(values))
      return Math.abs(perHour - 60) <= noise
    })
    const share = isWithin.filter(Boolean).length / 400
    assert.ok(share > 0.92 && share <= 0.99, `${share}`)
  })

  test('samples that resemble their neighbours count as fewer', () => {
    const random = noises(2)
    const independent = Array.from({ length: 60 }, () => random.next().value)
    const alike = independent.flatMap((value) => Array(5).fill(value))
    const [one, other] = [independent, alike].map((values) =>
      slopeOf(values.map((value, index) => ({ at: index / values.length, value }))),
    )
    assert.ok(other && one && other.noise > 0.75 * one.noise, `${other?.noise} of ${one?.noise}`)
  })

  test('few samples have no interval', () => {
    for (const values of [[], [1], [1, 2], [1, 2, 4]]) {
      assert.equal(slopeOf(minutely(values)).noise, Number.POSITIVE_INFINITY)
    }
  })

  test('a quantile is one of the values', () => {
    const values = [5, 1, 4, 2, 3]
    assert.deepEqual(
      [0, 0.5, 0.99, 1].map((share) => quantile(values, share)),
      [1, 3, 5, 5],
    )
  })
})

suite('what a run of hours must not show', () => {
  const judged = (values: readonly number[]) =>
    judgeSlope(slopeOf(minutely(values)), { share: 0.1, least: 5 })
  const random = noises(3)
  const noisy = (value: (minute: number) => number) =>
    Array.from({ length: 60 }, (_, minute) => value(minute) + 3 * random.next().value)

  test('a leak grows', () => {
    assert.deepEqual(judged(noisy((minute) => 100 + minute)), { text: 'GROWS', isGood: false })
  })

  test('a small growth is allowed, noise is no growth, and less is good', () => {
    const verdicts = [(m: number) => 100 + m / 10, () => 100, (m: number) => 200 - m]
    assert.deepEqual(
      verdicts.map((each) => judged(noisy(each))),
      [
        { text: 'grows within the allowance', isGood: true },
        { text: '0 within noise', isGood: true },
        { text: 'falls', isGood: true },
      ],
    )
  })

  test('memory grows if it does so before and after a restart', () => {
    const [leak, steady] = [(m: number) => 100 + m, () => 100].map((each) => judged(noisy(each)))
    const short = judged([1, 2, 3])
    assert.ok(leak && steady)
    const good = [[leak, steady], [steady, leak], [steady], [short], [steady, short], []]
    assert.deepEqual(
      good.map((lives) => judgeLives(lives).isGood),
      good.map(() => true),
    )
    for (const lives of [[leak], [leak, leak], [leak, short], [short, leak]]) {
      assert.deepEqual(judgeLives(lives), leak)
    }
  })

  test('the warm-up is left out', () => {
    const points = minutely([9, 9, 1, 1, 1, 1])
    assert.deepEqual(warm(points, 0.4), points.slice(2))
  })

  const storage = { name: '', value: 0, least: 0 }
  const samples = (rows: (requests: number) => number) =>
    Array.from({ length: 11 }, (_, index): Sample => {
      const requests = index * 1000
      const table = new Map([['audit_records', rows(requests)]])
      return { at: index, requests, processes: [], rows: table, storage }
    })

  test('a table that must grow has as many rows for each request in the end as before', () => {
    const steady = judgeRate(
      samples((requests) => requests / 2),
      'audit_records',
    )
    assert.deepEqual(steady, {
      ...{ first: 500, second: 500 },
      verdict: { text: 'constant', isGood: true },
    })
    const rising = judgeRate(
      samples((requests) => requests ** 2 / 1e4),
      'audit_records',
    )
    assert.deepEqual(rising.verdict, { text: 'RISES', isGood: false })
    const few = judgeRate(samples((requests) => requests ** 2 / 1e4).slice(0, 5), 'audit_records')
    assert.deepEqual(few.verdict, { text: 'too few requests', isGood: true })
  })
})

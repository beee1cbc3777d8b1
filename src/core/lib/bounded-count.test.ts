import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { boundedCount } from './bounded-count.ts'

suite('a count that costs', () => {
  test('is made again until it has used its share of the time, and then stands', async () => {
    let now = 0
    let counts = 0
    const count = boundedCount(
      async () => {
        now += 500
        counts += 1
        return counts
      },
      () => now,
    )
    const answers: number[] = []
    for (let scrape = 0; scrape < 100; scrape += 1) answers.push(await count())
    assert.deepEqual([counts, answers.at(-1)], [5, 5])
    now += 60_000
    assert.deepEqual([await count(), await count(), counts], [6, 6, 6])
  })

  test('saves at most two seconds, however long nobody asked', async () => {
    let now = 0
    let counts = 0
    const count = boundedCount(
      async () => {
        now += 500
        counts += 1
        return counts
      },
      () => now,
    )
    now += 365 * 86_400_000
    for (let scrape = 0; scrape < 100; scrape += 1) await count()
    assert.equal(counts, 5)
  })

  test('is one for callers at the same time, and its failure is not kept', async () => {
    const gate = Promise.withResolvers<number>()
    let counts = 0
    const count = boundedCount(
      () => {
        counts += 1
        return counts === 1 ? gate.promise : Promise.resolve(7)
      },
      () => 0,
    )
    const both = [count(), count()]
    gate.reject(new Error('away'))
    const outcomes = await Promise.allSettled(both)
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.deepEqual([await count(), counts], [7, 2])
  })
})

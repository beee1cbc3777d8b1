import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Counted, FloodBound, type FloodBoundOptions } from './flood-bound.ts'

suite('the bound of a flood', () => {
  function bound(options: Partial<FloodBoundOptions> = {}) {
    const told: Counted[] = []
    const flood = new FloodBound({
      maxPerMinute: 2,
      onCounted: (counted) => void told.push(counted),
      ...options,
    })
    const take = (source: string, times: number, kind = 'fail', now = 60_000) =>
      Array.from({ length: times }, () => flood.admits(source, kind, now))
    return { flood, told, take }
  }

  test('takes the first of a source one by one, and counts the others by kind', () => {
    const { take, told } = bound()
    assert.deepEqual(take('a', 3), [true, true, false])
    assert.deepEqual(take('a', 2, 'other', 119_999), [false, false])
    assert.deepEqual(told, [])
    assert.deepEqual(take('a', 1, 'fail', 120_000), [true])
    assert.deepEqual(told, [
      { source: 'a', kind: 'fail', count: 1, since: 60_000 },
      { source: 'a', kind: 'other', count: 2, since: 60_000 },
    ])
  })

  test('one source takes nothing from another', () => {
    const { take } = bound()
    take('a', 100)
    assert.deepEqual(take('b', 3), [true, true, false])
  })

  test('tells each count once: when its minute is over, or when the process stops', () => {
    const { flood, take, told } = bound()
    take('a', 5)
    flood.tellEnded(119_999)
    assert.equal(told.length, 0)
    flood.tellEnded(120_000)
    flood.tellEnded(180_000)
    flood.tellAll()
    assert.deepEqual(told, [{ source: 'a', kind: 'fail', count: 3, since: 60_000 }])
    take('a', 4, 'fail', 180_000)
    flood.tellAll()
    assert.deepEqual(told.slice(1), [{ source: 'a', kind: 'fail', count: 2, since: 180_000 }])
  })

  test('sources beyond the number that is told apart share one bound and one count', () => {
    const { flood, take, told } = bound({ maxSources: 2 })
    take('a', 3)
    take('b', 3)
    assert.deepEqual(take('c', 1), [true])
    assert.deepEqual(take('d', 1), [true])
    assert.deepEqual([...take('e', 1), ...take('c', 1)], [false, false])
    flood.tellAll()
    assert.deepEqual(
      told.map(({ source, count }) => [source, count]),
      [
        ['a', 1],
        ['b', 1],
        [null, 2],
      ],
    )
  })

  test('so many kinds of so many sources keep as many counts, and lose none', () => {
    const { flood, told } = bound({ maxPerMinute: 0, maxSources: 3 })
    for (const source of ['a', 'b', 'c']) {
      for (const kind of ['1', '2', '3', '4']) flood.admits(source, kind, 60_000)
    }
    flood.tellAll()
    assert.equal(
      told.reduce((sum, { count }) => sum + count, 0),
      12,
    )
    assert.ok(told.length <= 3 + 4)
  })

  test('a clock that is set back begins a minute of its own', () => {
    const { take, told } = bound()
    take('a', 3, 'fail', 120_000)
    assert.deepEqual(take('a', 1, 'fail', 60_000), [true])
    assert.equal(told.length, 1)
  })
})

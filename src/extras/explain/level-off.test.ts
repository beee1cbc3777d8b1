import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { levelOff } from './level-off.ts'

const networks = (rows: readonly number[]) =>
  rows.map((count, index) => ({ network: `n${index}`, rows: count, oldest: 100 - index }))

suite('which networks give up rows', () => {
  const given = (rows: readonly number[], excess: number, least: number) =>
    Object.fromEntries(levelOff(networks(rows), excess, least))

  test('those with the most, down to one level; of equals the one with the oldest row', () => {
    assert.deepEqual(given([10, 3, 3], 5, 0), { n0: 5 })
    assert.deepEqual(given([10, 9, 1], 3, 0), { n0: 2, n1: 1 })
    assert.deepEqual(given([10, 9, 1], 4, 0), { n0: 2, n1: 2 })
    assert.deepEqual(given([1, 1, 1], 2, 0), { n1: 1, n2: 1 })
    assert.deepEqual(given([4, 4], 0, 0), {})
    assert.deepEqual(given([], 7, 0), {})
  })

  test('none below the least that it keeps', () => {
    assert.deepEqual(given([5, 2, 1], 100, 1), { n0: 4, n1: 1 })
    assert.deepEqual(given([5, 2, 1], 100, 0), { n0: 5, n1: 2, n2: 1 })
  })

  test('agrees with one row after another', () => {
    for (let round = 0; round < 200; round += 1) {
      const rows = Array.from(
        { length: (round % 7) + 1 },
        (_, index) => (round * 31 + index * 17) % 12,
      )
      const excess = (round * 13) % 25
      const least = round % 2
      const left = [...rows]
      for (let step = 0; step < excess; step += 1) {
        const most = Math.max(...left)
        if (most > least) left[left.indexOf(most)] = most - 1
      }
      const levelled = levelOff(networks(rows), excess, least)
      const after = rows.map((count, index) => count - (levelled.get(`n${index}`) ?? 0))
      assert.deepEqual(after.sort(), left.sort(), JSON.stringify({ rows, excess, least }))
    }
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSweep } from './sweep.ts'

suite('sweep', () => {
  const isOdd = (value: number) => value % 2 === 1

  test('looks at so many at once, and at all in turn', () => {
    const map = new Map([...Array(10).keys()].map((value) => [value, value]))
    const sweep = createSweep(map, 4)
    sweep(isOdd)
    assert.deepEqual([...map.keys()], [0, 2, 4, 5, 6, 7, 8, 9])
    sweep(isOdd)
    assert.deepEqual([...map.keys()], [0, 2, 4, 6, 8, 9])
    sweep(isOdd)
    assert.deepEqual([...map.keys()], [0, 2, 4, 6, 8])
  })

  test('begins anew behind the last, and sees what has come meanwhile', () => {
    const map = new Map<number, number>()
    const sweep = createSweep(map, 2)
    sweep(isOdd)
    map.set(1, 1).set(2, 2).set(3, 3)
    sweep(isOdd)
    map.set(5, 5)
    sweep(isOdd)
    assert.deepEqual([...map.keys()], [2])
    map.set(2, 7)
    sweep(isOdd) // the end
    sweep(isOdd)
    assert.deepEqual([...map.keys()], [])
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { batchesByOffset, batchesOf, rowsOf } from './batches.ts'

const letters = ['a', 'b', 'c', 'd', 'e']

/** Notes the places from which it was read. */
function listOf(rows: readonly string[]) {
  const places: (string | number)[] = []
  return {
    places,
    after: async (place: string, size: number) => {
      places.push(place)
      return rows.filter((row) => row > place).slice(0, size)
    },
    at: async (offset: number, size: number) => {
      places.push(offset)
      return rows.slice(offset, offset + size)
    },
  }
}

suite('a list that is read in batches', () => {
  for (const [count, size, batches, places] of [
    [5, 2, [['a', 'b'], ['c', 'd'], ['e']], ['', 'b', 'd']],
    [
      4,
      2,
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
      ['', 'b', 'd'],
    ],
    [1, 2, [['a']], ['']],
    [0, 2, [], ['']],
  ] as const) {
    const rows = letters.slice(0, count)

    test(`${count} rows in batches of ${size}, each behind the last row`, async () => {
      const list = listOf(rows)
      const found = batchesOf({ from: '', size, read: list.after, placeOf: (last) => last })
      assert.deepEqual(await Array.fromAsync(found), batches)
      assert.deepEqual(list.places, places)
    })

    test(`${count} rows in batches of ${size}, one by one`, async () => {
      const list = listOf(rows)
      const found = rowsOf({ from: '', size, read: list.after, placeOf: (last) => last })
      assert.deepEqual(await Array.fromAsync(found), rows)
      assert.deepEqual(list.places, places)
    })

    test(`${count} rows in batches of ${size}, by offset`, async () => {
      const list = listOf(rows)
      assert.deepEqual(await Array.fromAsync(batchesByOffset(list.at, size)), batches)
      assert.deepEqual(
        list.places,
        places.map((_, index) => index * size),
      )
    })
  }

  test('reads no batch before the one before is taken', async () => {
    const list = listOf(letters)
    const found = batchesOf({ from: '', size: 2, read: list.after, placeOf: (last) => last })
    await found.next()
    assert.deepEqual(list.places, [''])
    await found.next()
    assert.deepEqual(list.places, ['', 'b'])
  })
  test('has 500 rows in a batch, unless told otherwise', async () => {
    const sizes: number[] = []
    const read = async (_: unknown, size: number) => {
      sizes.push(size)
      return ['a']
    }
    await Array.fromAsync(batchesOf({ from: '', read, placeOf: (last) => last }))
    await Array.fromAsync(batchesByOffset(read))
    assert.deepEqual(sizes, [500, 500])
  })
})

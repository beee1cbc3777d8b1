import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { ApiError } from '../../core/errors.ts'
import { type Order, sortKeys } from './lists.ts'
import { readUserCursor, writeUserCursor } from './v2.ts'

const orders: readonly Order[] = sortKeys.flatMap((key) =>
  [false, true].map((descending) => ({ key, descending })),
)
const byName: Order = { key: 'name', descending: false }
const encode = (text: string) => Buffer.from(text).toString('base64url')

function assertRefused(text: string, order: Order = byName) {
  assert.throws(
    () => readUserCursor(text, order),
    (error) => {
      assert.ok(error instanceof ApiError)
      assert.equal(error.row, 'validationFailed')
      assert.deepEqual(error.details?.[0]?.path, ['cursor'])
      return true
    },
  )
}

suite('cursor', () => {
  test('what is written is read again, in every order', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...orders),
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
        fc
          .string({ unit: 'grapheme' })
          .filter((text) => text.isWellFormed() && !text.includes('\0')),
        (order, page, id, value) => {
          const cursor = { page, after: { value, id } }
          const text = writeUserCursor(cursor, order)
          assert.match(text, /^[A-Za-z0-9_-]+$/)
          assert.deepEqual(readUserCursor(text, order), cursor)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('a cursor of one order is refused in every other', () => {
    for (const order of orders) {
      const text = writeUserCursor({ page: 2, after: { value: 'ann', id: 5 } }, order)
      for (const other of orders) if (other !== order) assertRefused(text, other)
    }
  })

  const forged: readonly [string, string][] = [
    ['nothing', ''],
    ['no base64', '%%%'],
    ['no JSON', encode('ann')],
    ['half a JSON', encode('[2,"name"')],
    ['an object', encode('{"page":2}')],
    ['null', encode('null')],
    ['a text', encode('"name"')],
    ['no field', encode('[]')],
    ['a field less', encode('[2,"name","ann"]')],
    ['a field more', encode('[2,"name","ann",5,6]')],
    ['a page as text', encode('["2","name","ann",5]')],
    ['half a page', encode('[2.5,"name","ann",5]')],
    ['page 0', encode('[0,"name","ann",5]')],
    ['a page before the first', encode('[-1,"name","ann",5]')],
    ['an unsafe page', encode('[9007199254740992,"name","ann",5]')],
    ['an id as text', encode('[2,"name","ann","5"]')],
    ['an unsafe id', encode('[2,"name","ann",9007199254740993]')],
    ['an infinite id', encode('[2,"name","ann",1e999]')],
    ['null as id', encode('[2,"name","ann",null]')],
    ['null as value', encode('[2,"name",null,5]')],
    ['a number as value', encode('[2,"name",5,5]')],
    ['a list as value', encode('[2,"name",["ann"],5]')],
    ['a lone surrogate', encode('[2,"name","\\ud800",5]')],
    ['a NUL', encode('[2,"name","\\u0000",5]')],
    ['another column', encode('[2,"password_hash","ann",5]')],
    ['no order', encode('[2,null,"ann",5]')],
    ['the prototype', encode('[2,"__proto__","ann",5]')],
    ['depth', encode('['.repeat(100_000))],
    ['a megabyte', 'A'.repeat(1_000_000)],
  ]
  for (const [what, text] of forged) {
    test(`${what} is refused as no cursor`, () => assertRefused(text))
  }

  test('any bytes are a cursor or refused, and nothing else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json().map(encode), fc.base64String()), (text) => {
        try {
          const { page, after } = readUserCursor(text, byName)
          assert.ok(Number.isSafeInteger(page) && Number.isSafeInteger(after.id))
        } catch (error) {
          assert.ok(error instanceof ApiError)
        }
      }),
      { numRuns: 1000 },
    )
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { asksForPage, offsetOf, parsePage, positiveInteger } from './paging.ts'

const largest = Number.MAX_SAFE_INTEGER

suite('positiveInteger', () => {
  const numbers: readonly [unknown, number | null][] = [
    ['1', 1],
    ['10', 10],
    ['007', 7],
    ['00000000000000000002', 2],
    ['9007199254740991', largest],
    ['0009007199254740991', largest],
    ['9007199254740992', null],
    ['9007199254740993', null],
    ['18446744073709551617', null],
    ['9'.repeat(400), null],
    ['0', null],
    ['000', null],
    ['', null],
    [' 1', null],
    ['1 ', null],
    ['1\n', null],
    ['+1', null],
    ['-1', null],
    ['-0', null],
    ['1.0', null],
    ['1e3', null],
    ['0x1', null],
    ['0b1', null],
    ['1_000', null],
    ['1n', null],
    ['１', null],
    ['٣', null],
    ['Infinity', null],
    ['NaN', null],
    ['1\0', null],
    [1, null],
    [true, null],
    [null, null],
    [undefined, null],
    [['1'], null],
    [['1', '2'], null],
    [{ toString: () => '1' }, null],
  ]
  for (const [text, number] of numbers) {
    const shown = (JSON.stringify(text) ?? 'undefined').slice(0, 40)
    test(`${shown} is ${number ?? 'no number'}`, () => assert.equal(positiveInteger(text), number))
  }

  test('digits alone are a number, from 1 to 2^53-1', () => {
    const digits = fc.stringMatching(/^[0-9]{1,20}$/)
    fc.assert(
      fc.property(fc.oneof(digits, fc.string()), (text) => {
        const isNumber =
          /^[0-9]+$/.test(text) && BigInt(text) >= 1n && BigInt(text) <= BigInt(largest)
        assert.equal(positiveInteger(text), isNumber ? Number(text) : null)
      }),
      { numRuns: 1000 },
    )
  })
})

suite('parsePage', () => {
  test('what is missing, zero or no number falls back to page 1 and limit 10', () => {
    for (const value of [undefined, '0', 'x', '', '-5', ['1', '2'], '1e1']) {
      assert.deepEqual(parsePage({ page: value, limit: value }, 0), { page: 1, limit: 10 })
      assert.deepEqual(parsePage({ page: value, limit: '3' }, 0), { page: 1, limit: 3 })
      assert.deepEqual(parsePage({ page: '4', limit: value }, 0), { page: 4, limit: 10 })
    }
  })

  test('a cap holds for the default too; 0 is no cap', () => {
    assert.deepEqual(parsePage({ limit: String(largest) }, 0), { page: 1, limit: largest })
    assert.deepEqual(parsePage({ limit: String(largest) }, 1000), { page: 1, limit: 1000 })
    assert.deepEqual(parsePage({ limit: '1000' }, 1000), { page: 1, limit: 1000 })
    assert.deepEqual(parsePage({}, 5), { page: 1, limit: 5 })
  })
})

suite('asksForPage', () => {
  test('page or limit asks for a page, be it with garbage; nothing else does', () => {
    for (const value of ['1', '', 'x', '0', ['1']]) {
      assert.equal(asksForPage({ page: value }), true)
      assert.equal(asksForPage({ limit: value }), true)
    }
    assert.equal(asksForPage({ Page: '1', 'page[]': '1', q: 'a' }), false)
  })
})

suite('offsetOf', () => {
  test('a page holds the slice from (page-1)*limit up to page*limit of any list', () => {
    const number = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: largest }))
    fc.assert(
      fc.property(number, number, fc.array(fc.nat(), { maxLength: 60 }), (page, limit, list) => {
        const from = offsetOf({ page, limit }, list.length)
        assert.ok(Number.isSafeInteger(from) && from <= list.length)
        const wanted = list.slice((page - 1) * limit, page * limit)
        assert.deepEqual(list.slice(from, from + limit), wanted)
      }),
      { numRuns: 1000 },
    )
  })
})

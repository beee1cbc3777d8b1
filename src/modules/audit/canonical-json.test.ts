import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { canonicalJson, type Json } from './canonical-json.ts'

suite('canonical JSON', () => {
  for (const [value, text] of [
    ['a"b', '"a\\"b"'],
    [1, '1'],
    [1e21, '1e+21'],
    [-0, '0'],
    [true, 'true'],
    [null, 'null'],
    [[], '[]'],
    [[2, [1, null], 'x'], '[2,[1,null],"x"]'],
    [{}, '{}'],
    [{ b: 1, a: { d: [{ z: 1, y: 2 }], c: null } }, '{"a":{"c":null,"d":[{"y":2,"z":1}]},"b":1}'],
    [{ a: undefined, b: false, c: undefined }, '{"b":false}'],
    // By UTF-16 code units, as RFC 8785 section 3.2.3 asks for.
    [{ é: 1, '€': 2, '\u{1f600}': 3, '\ufb33': 4, 1: 5 }, '{"1":5,"é":1,"€":2,"😀":3,"\ufb33":4}'],
  ] as const satisfies (readonly [Json, string])[]) {
    test(`is ${text}`, () => assert.equal(canonicalJson(value), text))
  }

  test('has no number that is not finite', () => {
    for (const value of [Number.NaN, Infinity, -Infinity]) {
      const error = new TypeError('a number of JSON is finite')
      assert.throws(() => canonicalJson(value), error)
      assert.throws(() => canonicalJson({ a: [value] }), error)
    }
  })
})

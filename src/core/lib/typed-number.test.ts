import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { typedNumber } from './typed-number.ts'

suite('a typed number', () => {
  test('has a point or a comma', () => {
    const read = ['0', '-7', '1.5', '1,5', '1.000', '12,75', '0,1234'].map(typedNumber)
    assert.deepEqual(read, [0, -7, 1.5, 1.5, 1, 12.75, 0.1234])
  })

  test('is refused if it can mean something else, or is no decimal number', () => {
    for (const text of ['1,000', '0,125', '0x10', '1e3', '1.2.3', '1,2,3', '+1', '.5', '5.', '']) {
      assert.equal(typedNumber(text), null, text)
    }
  })
})

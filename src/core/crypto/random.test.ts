import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { randomText } from './random.ts'

suite('random texts', () => {
  test('none looks like an option of a command, to which ids are given', () => {
    const all = new Set<string>()
    for (let first = 0; first < 256; first += 1) {
      all.add(randomText({ bytes: (length) => new Uint8Array(length).fill(first) }, 6))
    }
    assert.equal(all.size, 256, 'each stays another')
    assert.deepEqual(
      [...all].filter((text) => !/^\w[\w-]{7}$/.test(text)),
      [],
    )
  })
})

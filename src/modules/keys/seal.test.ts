import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import { systemRandom } from '../../core/crypto/random.ts'
import { seal, unseal } from './seal.ts'

const key = seededRandom(1).bytes(32)
const random = seededRandom(2)
const plain = Buffer.from('a text that must stay secret')
const context = 'signing:HS256:an id'
const zeros = { bytes: (length: number) => Buffer.alloc(length) }

suite('seal', () => {
  test('what was sealed opens under the same key and context', () => {
    for (const bytes of [plain, Buffer.alloc(0), Buffer.alloc(1), seededRandom(3).bytes(5000)]) {
      for (const name of [context, '', 'caf\u00e9:\u{1f511}']) {
        const sealed = seal(random, key, name, bytes)
        assert.match(sealed, /^[A-Za-z0-9_-]+$/)
        assert.equal(Buffer.from(sealed, 'base64url').length, 12 + bytes.length + 16)
        assert.ok(unseal(key, name, sealed).equals(bytes))
      }
    }
  })

  test('it is AES-256-GCM: test case 14 of the GCM specification', () => {
    const sealed = Buffer.from(seal(zeros, Buffer.alloc(32), '', Buffer.alloc(16)), 'base64url')
    assert.equal(sealed.subarray(0, 12).toString('hex'), '0'.repeat(24))
    assert.equal(sealed.subarray(12, 28).toString('hex'), 'cea7403d4d606b6e074ec5d3baf39d18')
    assert.equal(sealed.subarray(28).toString('hex'), 'd0d1c8a799996bf0265b98b5d48ab919')
  })

  test('the same text is never sealed the same way twice', () => {
    const texts = Array.from({ length: 100 }, () => seal(systemRandom, key, context, plain))
    assert.equal(new Set(texts).size, 100)
    assert.equal(new Set(texts.map((text) => text.slice(0, 16))).size, 100) // the nonces
  })

  test('another key does not open it', () => {
    const sealed = seal(random, key, context, plain)
    for (const other of [seededRandom(9).bytes(32), Buffer.alloc(32)]) {
      assert.throws(() => unseal(other, context, sealed), /authenticate/)
    }
    for (const length of [0, 16, 31, 33]) {
      assert.throws(() => unseal(Buffer.alloc(length), context, sealed), /key length/)
      assert.throws(() => seal(random, Buffer.alloc(length), context, plain), /key length/)
    }
  })

  test('another context does not open it: a sealed text cannot move to another row', () => {
    const sealed = seal(random, key, context, plain)
    for (const other of ['', `${context} `, context.slice(1), 'data:A256GCM:an id']) {
      assert.throws(() => unseal(key, other, sealed), /authenticate/, other)
    }
  })

  test('a change in any byte of it does not open', () => {
    const sealed = Buffer.from(seal(random, key, context, plain), 'base64url')
    for (const index of sealed.keys()) {
      const changed = Buffer.from(sealed)
      changed[index] = (changed[index] ?? 0) ^ 1
      assert.throws(
        () => unseal(key, context, changed.toString('base64url')),
        /authenticate/,
        `byte ${index}`,
      )
    }
  })

  test('a part of it, or more than it, does not open', () => {
    const sealed = Buffer.from(seal(random, key, context, plain), 'base64url')
    for (let length = 0; length < sealed.length; length += 1) {
      const part = sealed.subarray(0, length).toString('base64url')
      const message = length < 28 ? /^Error: a sealed text is too short$/ : /authenticate/
      assert.throws(() => unseal(key, context, part), message, `${length} bytes`)
    }
    const more = Buffer.concat([sealed, Buffer.alloc(1)]).toString('base64url')
    assert.throws(() => unseal(key, context, more), /authenticate/)
    assert.throws(() => unseal(key, context, ''), /too short/)
  })
})

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import {
  checkpointDigest,
  headsText,
  parseHeads,
  signCheckpoint,
  signTombstone,
  tombstoneText,
} from './checkpoint-form.ts'
import { checkpointKey } from './checkpoint-key.ts'

// RFC 8032 section 7.1, test 3.
const seed = Buffer.from('c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7', 'hex')
const message = Buffer.from('af82', 'hex').toString('latin1')

suite('the form of a checkpoint', () => {
  test('a seed makes the key of RFC 8032', () => {
    // Test 2 signs one byte that is ASCII.
    const second = '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'
    const key = checkpointKey(Buffer.from(second, 'hex'))
    const expected =
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da' +
      '085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00'
    assert.equal(Buffer.from(key.sign('\x72'), 'base64url').toString('hex'), expected)
    assert.notEqual(key.id, checkpointKey(seed).id)
    assert.throws(() => checkpointKey(Buffer.alloc(31)))
    const hash = createHash('sha256').update(key.publicKey).digest('base64url')
    assert.equal(key.id, hash.slice(0, 16))
  })

  test('only the signature that was made verifies, in its one form', () => {
    const key = checkpointKey(seed)
    const signature = key.sign(message)
    assert.equal(key.verifies(message, signature), true)
    assert.equal(key.verifies(`${message} `, signature), false)
    assert.equal(checkpointKey(Buffer.alloc(32)).verifies(message, signature), false)
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const last = alphabet.indexOf(signature.slice(-1))
    const alias = signature.slice(0, -1) + alphabet.charAt(last + 1) // decodes to the same bytes
    assert.deepEqual(Buffer.from(alias, 'base64url'), Buffer.from(signature, 'base64url'))
    assert.equal(key.verifies(message, alias), false)
    for (const text of ['', 'A', `${signature}A`]) assert.equal(key.verifies(message, text), false)
  })

  test('every field changes the digest and the signature', () => {
    const key = checkpointKey(seed)
    const made = { number: 1, at: 2, previous: '', heads: '[]', records: 3 }
    const signed = signCheckpoint(key, made)
    const others = [{ number: 9 }, { at: 9 }, { previous: 'x' }, { heads: '[ ]' }, { records: 9 }]
    const all = [signed, ...others.map((other) => signCheckpoint(key, { ...made, ...other }))]
    assert.equal(new Set(all.map(({ signature }) => signature)).size, 6)
    assert.equal(new Set(all.map(checkpointDigest)).size, 6)
  })

  test('a tombstone with lists has another text', () => {
    const key = checkpointKey(seed)
    const tombstone = { chain: 'c', place: 1, mac: 'm', records: 2, at: 3, closed: '' }
    for (const [closed, text] of [
      ['', `["gatehouse tombstone 1","c",1,"m",2,3,"${key.id}"]`],
      ['[4]', `["gatehouse tombstone 2","c",1,"m",2,3,"${key.id}","[4]"]`],
    ] as const) {
      const signed = signTombstone(key, { ...tombstone, closed })
      assert.equal(tombstoneText(signed), text)
      assert.equal(key.verifies(text, signed.signature), true)
    }
  })

  test('heads are read as they were written, and nothing else is', () => {
    const heads = [{ chain: 'c', from: 1, place: 2, mac: 'm', number: 3 }]
    assert.deepEqual(parseHeads(headsText(heads)), heads)
    for (const text of [
      '',
      '{}',
      '[1]',
      '[["c",1,2,"m"]]',
      '[["c",1,2,"m",3,4]]',
      '["abcde"]',
      '[{"length":5}]',
      '[["c",1,2,9,3]]',
      '[["c",1,2.5,"m",3]]',
      '[[1,1,2,"m",3]]',
    ]) {
      assert.equal(parseHeads(text), null, text)
    }
  })
})

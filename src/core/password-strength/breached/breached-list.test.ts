import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { sharedLines } from '../../../../test/vectors.ts'
import { isListed, listFile } from './breached-list.ts'
import { fingerprint, fingerprintBytes } from './fingerprint-list.ts'

suite('the list of breached passwords', () => {
  const bytes = readFileSync(listFile)
  const source = readFileSync(join(import.meta.dirname, 'SOURCE.md'), 'utf8')

  test('is sorted, without repetitions, and as long as SOURCE.md says', () => {
    const [, entries] = /Together: (\d+) entries/.exec(source) ?? []
    assert.equal(bytes.length, Number(entries) * fingerprintBytes)
    for (let at = fingerprintBytes; at < bytes.length; at += fingerprintBytes) {
      assert.ok(Buffer.compare(bytes.subarray(at - fingerprintBytes, at), bytes.subarray(at)) < 0)
    }
  })

  test('holds long passwords and short ones', () => {
    for (const text of [
      '1qaz2wsx3edc',
      'administrator',
      'counterstrike',
      'justinbieber',
      'motherfucker',
      'thecakeisalie',
      'startfinding', // of each list that was added
      'q1w2e3r4t5y6',
      'international',
      'professional',
      'correct horse battery staple',
      'password',
      'qwerty',
      '123456',
    ]) {
      assert.equal(isListed(text), true, text)
    }
  })

  for (const [name, count] of [
    ['pwdb-public-12.txt', 1474],
    ['probable-wordlists-12.txt', 27_176],
  ] as const) {
    test(`holds every entry of ${name}`, (t) => {
      const passwords = sharedLines(`breached/${name}`)
      if (!passwords) return t.skip('the list is not on this machine')
      const missing = passwords.filter((text) => !isListed(text.normalize('NFC').toLowerCase()))
      assert.deepEqual([passwords.length, missing.slice(0, 20)], [count, []])
    })
  }

  test('does not hold unused passwords, nor anything at its ends', () => {
    for (const text of ['', 'quiet melons roll uphill', '\0', 'x'.repeat(128), 'ÿ'.repeat(128)]) {
      assert.equal(isListed(text), false, text)
    }
    const wrong = Array.from({ length: 100_000 }, (_, n) => `no password ${n}`).filter(isListed)
    assert.deepEqual(wrong, [])
  })

  test('a fingerprint is the first bits of SHA-256', () => {
    assert.equal(fingerprint('abc').toString(16), 'ba7816bf8f')
  })
})

import assert from 'node:assert/strict'
import { createHmac, scryptSync } from 'node:crypto'
import { suite, test } from 'node:test'
import { createEncryptedKeyBundle } from './encrypted-key-bundle.ts'

suite('the keys of a passphrase', () => {
  const passphrase = 'correct lamp seven harbour quiet orchard violin'
  const salt = Buffer.alloc(16, 3).toString('base64url')

  // OWASP Password Storage Cheat Sheet: N=2^15, r=8, p=3 is as strong as N=2^17, r=8, p=1.
  test('come from scrypt with N=2^15, r=8, p=3 and the salt of the file', async () => {
    const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 2 ** 26 }
    const derived = scryptSync(passphrase, Buffer.alloc(16, 3), 64, cost)
    const expected = createHmac('sha256', derived.subarray(32)).update('digest').digest('hex')
    for (const version of [1, 2] as const) {
      const bundle = await createEncryptedKeyBundle(passphrase, salt, version)
      assert.equal(bundle.macOf('digest'), expected)
      assert.ok(bundle.isMacOf('digest', expected))
    }
  })

  test('differ for another salt and another passphrase', async () => {
    const macOf = async (text: string, of: string) =>
      (await createEncryptedKeyBundle(text, of, 2)).macOf('digest')
    const macs = await Promise.all([
      macOf(passphrase, salt),
      macOf(passphrase, Buffer.alloc(16, 4).toString('base64url')),
      macOf(`${passphrase}s`, salt),
    ])
    assert.equal(new Set(macs).size, 3)
  })
})

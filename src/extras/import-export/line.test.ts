import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { loadConfig } from '../../../test/config.ts'
import { base32 } from '../../core/crypto/base32.ts'
import { lineReader } from './line.ts'

suite('the secret of an authenticator app in the export of another product', async () => {
  const read = await lineReader(loadConfig({}))
  const value = { username: 'ann', name: 'Ann', email: 'ann@example.org', roles: ['USER'] }
  const readWith = (totp: string | undefined) =>
    read({ line: 1, value, extras: { id: '7', emailVerified: false, totp } })

  test('has 10 to 64 bytes', () => {
    for (const bytes of [10, 64]) {
      const secret = Buffer.alloc(bytes, 7)
      const account = readWith(base32(secret))
      assert.ok(!Array.isArray(account), JSON.stringify(account))
      assert.deepEqual((account as { totp?: Uint8Array }).totp, secret)
    }
    const [en, de] = [
      'must be a secret of 10 to 64 bytes in Base32',
      'muss ein Geheimnis von 10 bis 64 Bytes in Base32 sein',
    ]
    for (const text of [base32(Buffer.alloc(9, 7)), base32(Buffer.alloc(65, 7)), '', 'secret-1']) {
      const found = readWith(text)
      assert.ok(Array.isArray(found), text)
      const [fault, ...more] = found
      assert.deepEqual([fault?.path, fault?.words, more], [['totp'], { en, de }, []], text)
    }
  })

  test('may be absent', () => {
    const account = readWith(undefined)
    assert.ok(!Array.isArray(account) && !('totp' in account))
  })
})

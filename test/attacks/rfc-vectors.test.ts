import assert from 'node:assert/strict'
import { createHash, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import type { JWK } from 'jose'
import { createPasswords } from '../../src/accounts/passwords.ts'
import { keyedDigest } from '../../src/kernel/digest.ts'
import { systemRandom } from '../../src/kernel/random.ts'
import { verifyJws } from '../../src/token/jws.ts'
import { testApp } from '../app.ts'
import { hs256, segment } from '../forge.ts'
import { vectors } from '../vectors.ts'

const secret = 'only the tests of tokens know 0f this one'

suite('vectors printed in RFCs', async () => {
  const app = await testApp({ TOKEN_SECRET: secret })

  test('RFC 4231: HMAC-SHA-256 of our digests', () => {
    interface Rfc4231 {
      readonly vectors: readonly { key_hex: string; data_hex: string; hmac_sha256_hex: string }[]
    }
    for (const vector of vectors<Rfc4231>('rfc/rfc4231-hmac-sha256.json')?.vectors ?? []) {
      const data = Buffer.from(vector.data_hex, 'hex')
      if (!data.equals(Buffer.from(data.toString()))) continue // ours takes text
      const digest = keyedDigest(Buffer.from(vector.key_hex, 'hex'), data.toString())
      assert.equal(Buffer.from(digest, 'base64url').toString('hex'), vector.hmac_sha256_hex)
    }
    const quick = keyedDigest(Buffer.from('key'), 'The quick brown fox jumps over the lazy dog')
    assert.equal(quick, '97yD9DBThCSxMpjmqm-xQ-9NWaFJRhdZl0edvC0aPNg')
  })

  test('RFC 4648: a segment is read without padding and refused with it', async () => {
    interface Rfc4648 {
      readonly base64: readonly { input: string; output: string }[]
    }
    const printed = vectors<Rfc4648>('rfc/rfc4648-base.json')?.base64 ?? []
    const key = { algorithm: 'HS256' as const, verifyWith: createSecretKey(Buffer.from(secret)) }
    const verify = (token: string) => verifyJws(token, () => key)
    for (const { input, output } of [...printed, { input: 'fo', output: 'Zm8=' }]) {
      if (input === '') continue
      const signed = (payload: string) => {
        const text = `${segment({ alg: 'HS256' })}.${payload}`
        return `${text}.${hs256(secret)(text).toString('base64url')}`
      }
      const verified = await verify(signed(output.replaceAll('=', '')))
      assert.equal(verified && Buffer.from(verified.payload).toString(), input)
      if (output.endsWith('=')) assert.equal(await verify(signed(output)), null)
    }
  })

  test('RFC 7617: the printed credentials are read as printed', async () => {
    interface Rfc7617 {
      readonly cases: readonly { user_id: string; password: string; header: string }[]
    }
    const { hash } = createPasswords({ ...app.deps, random: systemRandom })
    const printed = vectors<Rfc7617>('rfc/rfc7617-basic.json')?.cases ?? []
    const own = { user_id: 'colons', password: 'a:b::\u00a3', header: 'Basic Y29sb25zOmE6Yjo6wqM=' }
    for (const { user_id, password, header } of [...printed, own]) {
      await app.account(user_id)
      // Shorter than a new password may be.
      await app.deps.db
        .updateTable('accounts')
        .set({ password_hash: await hash(password) })
        .where('username', '=', user_id.toLowerCase())
        .execute()
      for (const authorization of [header, header.replace('Basic', 'bAsIc  ')]) {
        const answer = await app.call('GET', '/users', { headers: { authorization } })
        assert.equal(answer.status, 200, header)
      }
    }
  })

  test('RFC 7638: the kid of an operator\u2019s RSA key is its thumbprint', async () => {
    interface Rfc7638 {
      readonly jwk: JWK
      readonly thumbprint_sha256: string
    }
    const thumbprint = ({ e, kty, n }: JWK) =>
      createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
    const printed = vectors<Rfc7638>('rfc/rfc7638-thumbprint.json')
    if (printed) assert.equal(thumbprint(printed.jwk), printed.thumbprint_sha256)

    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const rs256 = await testApp({
      TOKEN_ALGORITHM: 'RS256',
      TOKEN_PRIVATE_KEY: privateKey.export({ format: 'pem', type: 'pkcs1' }).toString(),
    })
    const { keys } = (await rs256.call('GET', '/.well-known/jwks.json')).body
    const jwk = publicKey.export({ format: 'jwk' }) as JWK // Node's type of the same thing
    assert.deepEqual(keys, [{ ...jwk, kid: thumbprint(jwk), alg: 'RS256', use: 'sig' }])
    const empty = await app.call('GET', '/.well-known/jwks.json')
    assert.deepEqual([empty.status, empty.body], [200, { keys: [] }])
  })
})

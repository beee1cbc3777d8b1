import assert from 'node:assert/strict'
import { createHash, createSecretKey, generateKeyPairSync } from 'node:crypto'
import { suite, test } from 'node:test'
import type { JWK } from 'jose'
import { keyedDigest } from '../../src/core/crypto/digest.ts'
import { systemRandom } from '../../src/core/crypto/random.ts'
import { authorizationUrl } from '../../src/modules/federation/code-grant.ts'
import { createProvider } from '../../src/modules/federation/provider.ts'
import { createPasswords } from '../../src/modules/passwords/passwords.ts'
import { verifyJws } from '../../src/modules/tokens/jws.ts'
import { testApp } from '../app.ts'
import { loadConfig } from '../config.ts'
import { hs256, segment } from '../forge.ts'
import { storeHash } from '../hashes.ts'
import { rfcVectors, vectors, vectorsTest } from '../vectors.ts'

const secret = 'only the tests of tokens know 0f this one'

suite('vectors printed in RFCs', async () => {
  const app = await testApp({ TOKEN_SECRET: secret })

  test('RFC 4231: HMAC-SHA-256 of our digests', () => {
    const texts = rfcVectors.rfc4231.hmacSha256.flatMap(({ key, data, mac }) => {
      const bytes = Buffer.from(data, 'hex')
      const text = bytes.toString() // ours takes text
      return bytes.equals(Buffer.from(text)) ? [{ key: Buffer.from(key, 'hex'), text, mac }] : []
    })
    assert.equal(texts.length, 4)
    for (const { key, text, mac } of texts) {
      assert.equal(Buffer.from(keyedDigest(key, text), 'base64url').toString('hex'), mac)
    }
    const quick = keyedDigest(Buffer.from('key'), 'The quick brown fox jumps over the lazy dog')
    assert.equal(quick, '97yD9DBThCSxMpjmqm-xQ-9NWaFJRhdZl0edvC0aPNg')
  })

  const hmac = 'wycheproof/hmac_sha256_test.json'
  vectorsTest(hmac, 'Wycheproof: HMAC-SHA-256 of our digests', () => {
    interface Case {
      readonly tcId: number
      readonly key: string
      readonly msg: string
      readonly tag: string
      readonly result: string
    }
    const { testGroups } = vectors<{
      readonly testGroups: readonly { readonly tests: readonly Case[] }[]
    }>(hmac) ?? { testGroups: [] }
    let run = 0
    for (const { tcId, key, msg, tag, result } of testGroups.flatMap(({ tests }) => tests)) {
      const text = Buffer.from(msg, 'hex').toString() // ours takes text
      if (Buffer.from(text).toString('hex') !== msg) continue
      const ours = Buffer.from(keyedDigest(Buffer.from(key, 'hex'), text), 'base64url')
      const isSame = ours.toString('hex', 0, tag.length / 2) === tag
      assert.equal(isSame, result === 'valid', String(tcId))
      run += 1
    }
    assert.ok(run > 50, `${run}`)
  })

  test('RFC 4648: a segment is read without padding and refused with it', async () => {
    const key = { algorithm: 'HS256' as const, verifyWith: createSecretKey(Buffer.from(secret)) }
    const verify = (token: string) => verifyJws(token, () => key)
    for (const [input, output] of rfcVectors.rfc4648.base64) {
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
    const { hash } = createPasswords({ ...app.deps, random: systemRandom })
    const own = { user_id: 'colons', password: 'a:b::\u00a3', header: 'Basic Y29sb25zOmE6Yjo6wqM=' }
    for (const { user_id, password, header } of [...rfcVectors.rfc7617.credentials, own]) {
      const { userId } = await app.account(user_id)
      await storeHash(app, userId, await hash(password)) // shorter than a new password may be
      for (const authorization of [header, header.replace('Basic', 'bAsIc  ')]) {
        const answer = await app.call('GET', '/users', { headers: { authorization } })
        assert.equal(answer.status, 200, header)
      }
    }
  })

  test('RFC 7636: the challenge of an authorization request is that of its verifier', async () => {
    const { verifier, challenge } = rfcVectors.rfc7636
    const [config] = loadConfig({
      OIDC_ISSUER: 'https://idp.example',
      OIDC_CLIENT_ID: 'gatehouse',
      OIDC_AUTHORIZATION_ENDPOINT: 'https://idp.example/auth',
      OIDC_TOKEN_ENDPOINT: 'https://idp.example/token',
      OIDC_JWKS_URI: 'https://idp.example/jwks',
    }).providers
    assert.ok(config)
    const { clock, events, fetch } = app.deps
    const provider = createProvider(config, { clock, events, fetch })
    const client = await provider.client(AbortSignal.timeout(60_000))
    const secrets = { state: 's', nonce: 'n', verifier }
    const { searchParams } = await authorizationUrl(provider, client, secrets)
    assert.deepEqual(
      [searchParams.get('code_challenge'), searchParams.get('code_challenge_method')],
      [challenge, 'S256'],
    )
  })

  test('RFC 7638: the kid of an operator\u2019s RSA key is its thumbprint', async () => {
    const thumbprint = ({ e, kty, n }: JWK) =>
      createHash('sha256').update(JSON.stringify({ e, kty, n })).digest('base64url')
    const printed = rfcVectors.rfc7638
    assert.equal(thumbprint(printed.jwk), printed.thumbprint)

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

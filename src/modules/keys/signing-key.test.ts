import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { suite, test } from 'node:test'
import { seededRandom } from '../../../test/random.ts'
import type { Config } from '../../core/config/load.ts'
import { Secret } from '../../core/crypto/secret.ts'
import { generateMaterial, operatorKeys, publicJwk, rsaBitsOf, signingKey } from './signing-key.ts'

const random = seededRandom(2)
const [one, two] = ['a secret of the operator', 'the secret before it']
const rsa = await generateMaterial('RS256', random, 1024)
const pem = signingKey('', 'RS256', rsa)
  .signWith.export({ format: 'pem', type: 'pkcs8' })
  .toString()

const keysOf = (token: Partial<Config['token']>) =>
  operatorKeys({ token: token as Config['token'] })

suite('a signing key', () => {
  test('of HS256 has 256 random bits, the same on both sides', async () => {
    const material = await generateMaterial('HS256', random, 0)
    assert.equal(material.length, 32)
    const { kid, algorithm, signWith, verifyWith } = signingKey('k', 'HS256', material)
    assert.deepEqual([kid, algorithm, signWith], ['k', 'HS256', verifyWith])
    assert.deepEqual(signWith.export(), Buffer.from(material))
  })

  test('of RS256 has the length that was asked for, and a public side', () => {
    assert.equal(rsaBitsOf(rsa), 1024)
    const { kid, algorithm, signWith, verifyWith } = signingKey('k', 'RS256', rsa)
    assert.deepEqual([kid, algorithm], ['k', 'RS256'])
    assert.deepEqual([signWith.type, verifyWith.type], ['private', 'public'])
    assert.deepEqual(Object.keys(publicJwk(verifyWith)).toSorted(), ['e', 'kty', 'n'])
  })
})

suite('the keys of the operator', () => {
  test('are the secret, which signs, and the secret before it, which only verifies', async () => {
    assert.deepEqual(await keysOf({}), [])
    const both = await keysOf({ secret: new Secret(one), previousSecret: new Secret(two) })
    assert.deepEqual(
      both.map(({ algorithm, signs, signWith }) => [algorithm, signs, `${signWith.export()}`]),
      [
        ['HS256', true, one],
        ['HS256', false, two],
      ],
    )
    const [previous, ...others] = await keysOf({ previousSecret: new Secret(two) })
    assert.deepEqual([previous?.signs, others], [false, []])
  })

  test('have names that come from the secret, and confirm no guess of it', async () => {
    const kidOf = async (secret: string) => (await keysOf({ secret: new Secret(secret) }))[0]?.kid
    const kid = await kidOf(one)
    assert.match(kid ?? '', /^[A-Za-z0-9_-]{22}$/)
    assert.deepEqual([await kidOf(one), (await kidOf(two)) === kid], [kid, false])
    assert.notEqual(createHash('sha256').update(one).digest('base64url').slice(0, 22), kid)
  })

  test('are the private key too, named by its thumbprint', async () => {
    const [key, ...others] = await keysOf({ privateKey: new Secret(pem) })
    const { e, kty, n } = publicJwk(signingKey('', 'RS256', rsa).verifyWith)
    const thumbprint = createHash('sha256').update(JSON.stringify({ e, kty, n }))
    assert.deepEqual(
      [key?.algorithm, key?.signs, key?.kid, others],
      ['RS256', true, thumbprint.digest('base64url'), []],
    )
    assert.equal(key?.verifyWith.type, 'public')
    const all = await keysOf({ privateKey: new Secret(pem), secret: new Secret(one) })
    assert.deepEqual(
      all.map(({ algorithm }) => algorithm),
      ['HS256', 'RS256'],
    )
  })
})

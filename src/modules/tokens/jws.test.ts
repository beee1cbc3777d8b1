import assert from 'node:assert/strict'
import { createSecretKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { suite, test } from 'node:test'
import { forge, hs256, rs256, segment } from '../../../test/forge.ts'
import type { RefusalReason } from '../../core/errors.ts'
import { parseObject, signJws, type VerifyingKey, verifyJws } from './jws.ts'

const material = Buffer.alloc(32, 7)
const secret = createSecretKey(material)
const hmac: VerifyingKey = { algorithm: 'HS256', verifyWith: secret }
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const rsa: VerifyingKey = { algorithm: 'RS256', verifyWith: publicKey }
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })

async function verify(token: string, key: VerifyingKey | undefined = hmac) {
  const reasons: RefusalReason[] = []
  const kids: unknown[] = []
  const find = (kid: string | undefined, header: unknown) => {
    kids.push([kid, header])
    return key
  }
  const jws = await verifyJws(token, find, (reason) => reasons.push(reason))
  return { jws: jws && { ...jws, payload: parseObject(jws.payload) }, reasons, kids }
}

const refusal = async (token: string, key?: VerifyingKey) => {
  const { jws, reasons } = await verify(token, key)
  assert.equal(jws, null)
  return reasons
}
const malformed = [{ code: 'token_malformed' }]
const header = { alg: 'HS256', kid: 'k' }
const signer = hs256(material)
const token = forge(header, { sub: '7' }, signer)
const [head = '', payload = '', signature = ''] = token.split('.')

suite('a compact JWS', () => {
  test('is verified with the key of its kid, which sees its header', async () => {
    assert.deepEqual(await verify(token), {
      ...{ jws: { header, payload: { sub: '7' } }, reasons: [], kids: [['k', header]] },
    })
    const plain = { alg: 'HS256' }
    const { jws, kids } = await verify(forge(plain, {}, signer))
    assert.deepEqual([jws?.payload, kids], [{}, [[undefined, plain]]])
    const kept = verifyJws(token, () => hmac)
    assert.ok(kept !== null && !(kept instanceof Promise), 'at once with a known key')
    assert.ok(await verifyJws(token, async () => hmac), 'a key that has to be looked up')
    assert.equal(await verifyJws(token, async () => undefined), null)
  })

  test('three segments of the alphabet make one; the payload may be empty', async () => {
    const bad = [
      ...['', '.', '..', 'a', token.slice(0, -1), `${token}.`, `.${token}`, `${token}.a`],
      ...[`.${payload}.${signature}`, `${head}.${payload}.`, `${head}.${payload}`],
      ...[`${token}=`, ` ${token}`, `${token}\n`, `${head}.${payload}.${signature.slice(0, -1)}+`],
      ...[`${segment('text')}.${payload}.${signature}`, `${segment([])}.${payload}.${signature}`],
    ]
    for (const text of bad) assert.deepEqual(await refusal(text), malformed, text)
    assert.deepEqual((await verify(forge(header, '', signer))).jws?.payload, null)
  })

  test('each segment is the one encoding of its bytes', async () => {
    // The same bytes with a spare bit set, for both numbers of spare bits.
    for (const text of ['a', 'ab']) {
      const good = segment(text)
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const last = letters[letters.indexOf(good.at(-1) ?? '') + 1]
      const other = `${good.slice(0, -1)}${last}`
      assert.deepEqual(Buffer.from(other, 'base64url'), Buffer.from(good, 'base64url'))
      const sign = (input: string) => `${input}.${signer(input).toString('base64url')}`
      assert.ok((await verify(sign(`${head}.${good}`))).jws)
      assert.deepEqual(await refusal(sign(`${head}.${other}`)), malformed)
      assert.deepEqual(await refusal(sign(`${other}.${payload}`)), malformed)
      assert.deepEqual(await refusal(`${head}.${payload}.${other}`), malformed)
    }
    for (const given of [header, { ...header, kid: 'kk' }]) {
      const good = segment(given)
      const other = `${good.slice(0, -1)}${String.fromCharCode(good.charCodeAt(good.length - 1) + 1)}`
      assert.deepEqual(Buffer.from(other, 'base64url'), Buffer.from(good, 'base64url'))
      const input = `${other}.${payload}`
      const signed = `${input}.${signer(input).toString('base64url')}`
      assert.deepEqual(await refusal(signed), malformed, 'a header that reads the same')
    }
    for (const text of ['a', 'abcde']) {
      assert.deepEqual(await refusal(`${head}.${text}.${signature}`), malformed, 'no whole byte')
    }
  })

  test('has at most 8192 characters', async () => {
    // Headers of two lengths, since not every number of characters encodes whole bytes.
    const lengths = [header, { ...header, a: 'b' }].flatMap((given) =>
      Array.from({ length: 20 }, (_, index) => {
        const input = `${segment(given)}.${Buffer.alloc(6070 + index).toString('base64url')}`
        return `${input}.${signer(input).toString('base64url')}`
      }),
    )
    for (const text of lengths) {
      const found = text.length > 8192 ? malformed : []
      assert.deepEqual((await verify(text)).reasons, found, String(text.length))
    }
    const all = lengths.map(({ length }) => length)
    assert.ok(all.includes(8192) && all.includes(8193), String(all))
  })

  test('an extension is refused, and a kid that is no text', async () => {
    for (const name of ['crit', 'b64']) {
      const extended = forge({ ...header, [name]: null }, {}, signer)
      assert.deepEqual(await refusal(extended), [{ code: 'token_extension' }])
    }
    for (const kid of [7, null, ['k']]) {
      assert.deepEqual(await refusal(forge({ ...header, kid }, {}, signer)), malformed)
    }
  })

  test('the key decides the algorithm, whatever the header says', async () => {
    const other = (alg: unknown, expected = 'HS256') => [
      { code: 'token_wrong_algorithm', facts: { alg, expected } },
    ]
    for (const alg of ['none', 'hs256', 'RS256', 'HS512']) {
      assert.deepEqual(await refusal(forge({ alg }, {}, signer)), other(alg))
    }
    for (const alg of [undefined, null, ['HS256']]) {
      assert.deepEqual(await refusal(forge({ alg }, {}, signer)), other(null))
    }
    assert.deepEqual(
      await refusal(forge({ alg: 'a'.repeat(65) }, {}, signer)),
      other('a'.repeat(64)),
    )
    assert.deepEqual(await refusal(token, rsa), other('HS256', 'RS256'))
  })

  test('an unknown key and a wrong signature are named by the kid', async () => {
    const unknown = (kid: string | null) => [{ code: 'token_unknown_key', facts: { kid } }]
    const { reasons } = await verify(token, undefined)
    assert.deepEqual(reasons, [], 'the default is the key')
    const told: RefusalReason[] = []
    for (const kid of ['k', undefined, 'k'.repeat(65)]) {
      const text = forge({ alg: 'HS256', kid }, {}, signer)
      assert.equal(
        await verifyJws(
          text,
          () => undefined,
          (reason) => told.push(reason),
        ),
        null,
      )
    }
    assert.deepEqual(told, [unknown('k'), unknown(null), unknown('k'.repeat(64))].flat())
    const wrong = [{ code: 'token_bad_signature', facts: { kid: 'k' } }]
    const short = `${head}.${payload}.${segment('ab')}`
    const forged = [forge(header, { sub: '7' }, hs256('another')), short]
    for (const text of forged) assert.deepEqual(await refusal(text), wrong)
    assert.equal(await verifyJws(short, () => hmac), null, 'without a reason')
  })

  test('RS256 is verified with an RSA key', async () => {
    const rsaHeader = { alg: 'RS256', kid: 'r' }
    const signed = forge(rsaHeader, { sub: '7' }, rs256(privateKey))
    assert.deepEqual((await verify(signed, rsa)).jws?.payload, { sub: '7' })
    assert.ok(!(verifyJws(signed, () => rsa) instanceof Promise), 'at once with a known key')
    const wrong = [{ code: 'token_bad_signature', facts: { kid: 'r' } }]
    assert.deepEqual(await refusal(forge(rsaHeader, {}, hs256(material)), rsa), wrong)
  })

  test('algorithms of providers are verified too; a key of another kind verifies nothing', async () => {
    const { SignJWT } = await import('jose')
    const signed = await new SignJWT({ sub: '7' })
      .setProtectedHeader({ alg: 'ES256', kid: 'e' })
      .sign(ec.privateKey)
    const es256 = (verifyWith: KeyObject) => ({ algorithm: 'ES256', verifyWith })
    assert.deepEqual((await verify(signed, es256(ec.publicKey))).jws?.payload, { sub: '7' })
    const wrong = [{ code: 'token_bad_signature', facts: { kid: 'e' } }]
    const another = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    for (const key of [another, secret]) {
      assert.deepEqual(await refusal(signed, es256(key)), wrong)
    }
    const ofRsa = await new SignJWT({}).setProtectedHeader({ alg: 'PS256' }).sign(privateKey)
    const ps256 = { algorithm: 'PS256', verifyWith: publicKey }
    assert.deepEqual((await verify(ofRsa, ps256)).jws?.payload, {})
    const ours: [header: object, key: VerifyingKey][] = [
      [header, { algorithm: 'HS256', verifyWith: publicKey }],
      [
        { alg: 'RS256', kid: 'k' },
        { algorithm: 'RS256', verifyWith: secret },
      ],
    ]
    for (const [given, key] of ours) {
      const reasons = await refusal(forge(given, {}, signer), key)
      assert.deepEqual(reasons, [{ code: 'token_bad_signature', facts: { kid: 'k' } }])
    }
    // OpenSSL takes any kind of public key for the digest of RS256. No key set has such a key: a
    // mistake of the program, and no refusal.
    const byEc = forge({ alg: 'RS256', kid: 'e' }, {}, rs256(ec.privateKey))
    const ecForRsa = { algorithm: 'RS256', verifyWith: ec.publicKey }
    await assert.rejects(verify(byEc, ecForRsa), { name: 'DataError' })
  })

  test('what is signed is verified', async () => {
    for (const [algorithm, signWith, key] of [
      ['HS256', secret, hmac],
      ['RS256', privateKey, rsa],
    ] as const) {
      const signed = await signJws({ algorithm, signWith }, { alg: 'none', kid: 'k' }, { sub: '7' })
      const { jws } = await verify(signed, key)
      assert.deepEqual(jws, { header: { alg: algorithm, kid: 'k' }, payload: { sub: '7' } })
    }
  })

  test('a JSON object in UTF-8 is parsed, and nothing else', () => {
    assert.deepEqual(parseObject(Buffer.from('{"a":"ä"}')), { a: 'ä' })
    for (const text of ['', '{', 'null', '[]', '7', '"a"', 'true', '\u{feff}{}']) {
      assert.equal(parseObject(Buffer.from(text)), null, text)
    }
    assert.equal(parseObject(Buffer.from('{"a":"ä"}', 'latin1')), null)
  })
})

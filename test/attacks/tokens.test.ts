import assert from 'node:assert/strict'
import { constants, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { createServer } from 'node:net'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { testApp } from '../app.ts'
import {
  accessClaims,
  assertAccepted,
  assertRefused,
  forge,
  headerOf,
  hs256,
  type Json,
  payloadOf,
  rs256,
  type Signer,
  segment,
} from '../forge.ts'
import { seededRandom } from '../random.ts'

const secret = 'only the tests of tokens know 0f this one'
const ours = hs256(secret)
const nobodys = hs256('a secret that the service has never seen')
const unsigned: Signer = () => Buffer.alloc(0)

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const attacker = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = publicKey.export({ format: 'pem', type: 'spki' }).toString()

suite('forged tokens', async () => {
  const symmetric = await testApp({ TOKEN_SECRET: secret })
  const asymmetric = await testApp({
    TOKEN_ALGORITHM: 'RS256',
    TOKEN_PRIVATE_KEY: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  })
  const apps = [symmetric, asymmetric]
  const kids = new Map<unknown, unknown>()
  for (const app of apps) kids.set(app, headerOf(await app.token(app.admin)).kid)
  const signers = new Map<unknown, Signer>([
    [symmetric, ours],
    [asymmetric, rs256(privateKey)],
  ])
  const claims = accessClaims(symmetric)
  const signed = (header: unknown, payload: unknown = claims) => forge(header, payload, ours)

  // A refused request changes nothing.
  let before: Record<string, unknown[]>[]
  const everything = () => Promise.all(apps.map((app) => app.rows()))
  beforeEach(async () => {
    before = await everything()
  })
  afterEach(async () => assert.deepEqual(await everything(), before))

  test('a token forged with the right key is accepted, with and without kid', async () => {
    for (const kid of [undefined, kids.get(symmetric)]) {
      await assertAccepted(symmetric, signed({ alg: 'HS256', kid }), String(kid))
    }
    for (const kid of [undefined, kids.get(asymmetric)]) {
      const token = forge({ alg: 'RS256', kid }, accessClaims(asymmetric), rs256(privateKey))
      await assertAccepted(asymmetric, token, String(kid))
    }
  })

  test('T01: alg none in every spelling is 401', async () => {
    const spellings = ['none', 'None', 'NONE', 'nOnE', 'none ', '', null, undefined, ['none'], 0]
    for (const app of apps) {
      for (const alg of spellings) {
        for (const kid of [undefined, kids.get(app)]) {
          const header = { alg, typ: 'JWT', kid }
          const what = JSON.stringify(header)
          await assertRefused(app, forge(header, claims, unsigned), `${what} unsigned`)
          await assertRefused(app, `${segment(header)}.${segment(claims)}`, `${what} two segments`)
          await assertRefused(app, forge(header, claims, nobodys), `${what} signed with anything`)
          await assertRefused(
            app,
            forge(header, claims, signers.get(app) ?? ours),
            `${what} signed`,
          )
        }
      }
    }
    await assertRefused(symmetric, signed('{"alg":"HS256","alg":"none"}'), 'alg twice')
  })

  const jwk = publicKey.export({ format: 'jwk' })
  const publicForms: Record<string, string | Buffer> = {
    PEM: pem,
    'PEM without its last newline': pem.trimEnd(),
    'PEM and one more newline': `${pem}\n`,
    'PEM with CRLF': pem.replaceAll('\n', '\r\n'),
    'whitespace before the PEM': ` \n${pem}`,
    'whitespace before the PEM, trimmed behind': `\n\t${pem.trimEnd()}`,
    'PEM of PKCS #1': publicKey.export({ format: 'pem', type: 'pkcs1' }).toString(),
    'base64 of the PEM': pem.replace(/-----[A-Z ]+-----/g, '').trim(),
    DER: publicKey.export({ format: 'der', type: 'spki' }),
    'DER of PKCS #1': publicKey.export({ format: 'der', type: 'pkcs1' }),
    'JWK text': JSON.stringify(jwk),
    modulus: Buffer.from(String(jwk.n), 'base64url'),
    'text of the modulus': String(jwk.n),
    nothing: '',
  }

  test('T02: HS256 keyed with the public key in any form is 401', async () => {
    const published = (await asymmetric.call('GET', '/.well-known/jwks.json')).body
    const forms = {
      ...publicForms,
      'published key': JSON.stringify(published.keys[0]),
      'published set': JSON.stringify(published),
    }
    for (const [name, key] of Object.entries(forms)) {
      for (const kid of [undefined, kids.get(asymmetric)]) {
        for (const alg of ['HS256', 'RS256']) {
          const token = forge({ alg, typ: 'JWT', kid }, claims, hs256(key))
          await assertRefused(asymmetric, token, `${name}, ${alg}, kid ${kid}`)
        }
      }
    }
  })

  test('T03: only the algorithm of the key is accepted, with any header', async () => {
    const input = (header: Json) => `${segment(header)}.${segment(claims)}`
    const pss = { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    const others: [alg: string, signer: Signer][] = [
      ['PS256', (text) => sign('sha256', Buffer.from(text), pss)],
      ['RS256', (text) => sign('sha256', Buffer.from(text), pss)],
      ['RS384', (text) => sign('sha384', Buffer.from(text), privateKey)],
      ['RS512', (text) => sign('sha512', Buffer.from(text), privateKey)],
      ['RS256', (text) => sign('sha512', Buffer.from(text), privateKey)],
      ['rs256', rs256(privateKey)],
      ['HS256', rs256(privateKey)],
      ['ES256', rs256(privateKey)],
    ]
    for (const [alg, signer] of others) {
      const header = { alg, kid: kids.get(asymmetric) }
      const token = `${input(header)}.${signer(input(header)).toString('base64url')}`
      await assertRefused(asymmetric, token, alg)
    }
    for (const alg of ['HS384', 'HS512', 'hs256', 'HS256 ', 'RS256', 'A256KW', 'dir']) {
      await assertRefused(symmetric, signed({ alg, kid: kids.get(symmetric) }), alg)
    }
    const rsa = forge({ alg: 'RS256' }, claims, rs256(attacker.privateKey))
    await assertRefused(symmetric, rsa, 'RS256 at an HS256 service')
  })

  test('T04: a key in the header is never used, and nothing is fetched', async (t) => {
    let connections = 0
    const sink = createServer((socket) => {
      connections += 1
      socket.destroy()
    })
    t.after(() => sink.close())
    await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
    const address = sink.address()
    assert.ok(address !== null && typeof address === 'object')
    const url = `http://127.0.0.1:${address.port}/jwks.json`
    const own = createPublicKey(attacker.privateKey).export({ format: 'jwk' })
    const der = attacker.publicKey.export({ format: 'der', type: 'spki' }).toString('base64')
    const k = segment('a secret that the service has never seen')
    const headers: Json[] = [
      { alg: 'RS256', jwk: own },
      { alg: 'RS256', jwk: { ...own, kid: kids.get(asymmetric) } },
      { alg: 'RS256', jku: url },
      { alg: 'RS256', x5u: url },
      { alg: 'RS256', x5c: [der] },
      { alg: 'RS256', kid: url, iss: url },
      { alg: 'HS256', jwk: { kty: 'oct', k } },
      { alg: 'HS256', jku: url, x5u: url },
    ]
    for (const app of apps) {
      for (const header of headers) {
        const signer = header.alg === 'HS256' ? nobodys : rs256(attacker.privateKey)
        for (const kid of [undefined, kids.get(app), 'attacker']) {
          const token = forge({ kid, ...header }, claims, signer)
          await assertRefused(app, token, JSON.stringify({ kid, ...header }))
          await assertRefused(app, forge({ kid, ...header }, { ...claims, iss: url }, signer), url)
        }
      }
    }
    await assertAccepted(symmetric, signed({ alg: 'HS256', jku: url, x5u: url }), 'key of ours')
    assert.equal(connections, 0)
  })

  const oddKids: [name: string, kid: unknown][] = [
    ['path', '../../dev/null'],
    ['path with NUL', '../../../../dev/null\0'],
    ['SQL', "' OR 1=1--"],
    ['SQL that selects a key', "x' UNION SELECT 'a' --"],
    ['command', '|id'],
    ['empty', ''],
    ['10 kB', 'k'.repeat(10_240)],
    ['5 kB', 'k'.repeat(5120)],
    ['array', ['a']],
    ['object', { toString: 'a' }],
    ['number', 0],
    ['null', null],
    ['true', true],
    ['prototype', '__proto__'],
    ['constructor', 'constructor'],
    ['method of a map', 'get'],
    ['lone surrogate', '\ud800'],
  ]

  test('T05: a kid that names no key of the service is 401', async () => {
    for (const app of apps) {
      const alg = app === symmetric ? 'HS256' : 'RS256'
      for (const [name, kid] of oddKids) {
        for (const key of ['', '\0', 'a', 'undefined', 'null', '[object Object]']) {
          await assertRefused(app, forge({ alg: 'HS256', kid }, claims, hs256(key)), name)
        }
        const right = forge({ alg, kid }, claims, signers.get(app) ?? ours)
        await assertRefused(app, right, `${name}, signed with the right key`)
      }
    }
  })

  test('T06: crit and b64 are 401, even where the signature holds', async () => {
    const headers: Json[] = [
      { crit: ['x'], x: 1 },
      { crit: [] },
      { crit: ['exp'], exp: 1 },
      { crit: null },
      { crit: 'b64', b64: true },
      { crit: ['b64'], b64: true },
      { crit: ['b64'], b64: false },
      { b64: false },
      { b64: true },
    ]
    for (const header of headers) {
      const whole = { alg: 'HS256', ...header }
      await assertRefused(symmetric, signed(whole), JSON.stringify(whole))
      // RFC 7797: the signature covers the payload as it is.
      const raw = ours(`${segment(whole)}.${JSON.stringify(claims)}`).toString('base64url')
      const token = `${segment(whole)}.${segment(claims)}.${raw}`
      await assertRefused(symmetric, token, `${JSON.stringify(whole)} over the raw payload`)
    }
  })

  test('T07: a tampered token never shares the cache entry of a valid one', async () => {
    const kid = kids.get(symmetric)
    const people = ['1', '2', '3'].map((sub) =>
      signed({ alg: 'HS256', typ: 'JWT', kid }, accessClaims(symmetric, { sub, roles: ['USER'] })),
    )
    const valid = new Map(people.map((token, index) => [token, String(index + 1)]))
    const tampered = people.flatMap((token) => {
      const [header = '', payload = '', signature = ''] = token.split('.')
      const other = (people.find((candidate) => candidate !== token) ?? '').split('.')
      const admin = segment({ ...payloadOf(token), roles: ['ADMIN'] })
      return [
        `${header}.${admin}.${signature}`,
        `${header}.${payload}.${other[2]}`,
        `${header}.${other[1]}.${signature}`,
        `${header}.${payload}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
        `${header}.${payload}.${signature.slice(0, -4)}`,
        `${segment({ alg: 'HS256', kid, typ: 'JWT' })}.${payload}.${signature}`,
        token.toLowerCase(),
        token.toUpperCase(),
      ]
    })
    const all = [...people, ...people, ...tampered]
    const order = seededRandom(7).bytes(1000)
    const mixed = [...order].map((byte) => all[byte % all.length] ?? '')
    const answers = await Promise.all(
      mixed.map((token) =>
        symmetric.call('GET', '/api/me', { headers: { authorization: `Bearer ${token}` } }),
      ),
    )
    for (const [turn, answer] of answers.entries()) {
      const sub = valid.get(mixed[turn] ?? '')
      assert.equal(answer.status, sub ? 200 : 401, `${turn}: ${mixed[turn]}`)
      if (sub) assert.deepEqual([answer.body.sub, answer.body.roles], [sub, ['USER']])
      else assert.deepEqual(answer.body, { error: 'Invalid token' })
    }
    assert.deepEqual(new Set(mixed), new Set(all), 'each came up')
  })
})

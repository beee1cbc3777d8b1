import assert from 'node:assert/strict'
import { request } from 'node:http'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { accessClaims, assertAccepted, assertRefused, forge, hs256, segment } from '../forge.ts'

const secret = 'only the tests of tokens know 0f this one'
const ours = hs256(secret)

suite('the shape of tokens', async () => {
  const app = await testApp({ TOKEN_SECRET: secret })
  const claims = accessClaims(app)
  const signed = (header: unknown, payload: unknown = claims) => forge(header, payload, ours)

  let before: Record<string, unknown[]>
  beforeEach(async () => {
    before = await app.rows()
  })
  afterEach(async () => assert.deepEqual(await app.rows(), before))

  test('T08: anything but three canonical segments is 401', async () => {
    const token = signed({ alg: 'HS256' })
    const [h = '', p = '', s = ''] = token.split('.')
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const spare = `${s.slice(0, -1)}${last[last.indexOf(s.slice(-1)) + 1]}`
    assert.deepEqual(Buffer.from(spare, 'base64url'), Buffer.from(s, 'base64url'))
    const shapes: Record<string, string> = {
      'one segment': h,
      'two segments': `${h}.${p}`,
      'no signature': `${h}.${p}.`,
      'no payload': `${h}..${s}`,
      'no header': `.${p}.${s}`,
      'four segments': `${token}.${s}`,
      'four, the last empty': `${token}.`,
      'five segments': `${h}.${p}.${s}.${p}.${s}`,
      'dots alone': '..',
      'space in the header': `${h} .${p}.${s}`,
      'space in the payload': `${h}. ${p}.${s}`,
      'space in the signature': `${h}.${p}. ${s}`,
      'tab in the signature': `${h}.${p}.${s.slice(0, 20)}\t${s.slice(20)}`,
      'no-break space behind': `${token}\u00a0`,
      'no-break space before': `\u00a0${token}`,
      'padding in the header': `${h}=.${p}.${s}`,
      'padding in the payload': `${h}.${p}==.${s}`,
      'padding in the signature': `${token}=`,
      'spare bits': `${h}.${p}.${spare}`,
      'question mark': `${token}?`,
      'plus and slash': `${h}.${p}.+/${s.slice(2)}`,
      quoted: `"${token}"`,
      twice: `${token} ${token}`,
      'twice with comma': `${token}, Bearer ${token}`,
      'scheme twice': `Bearer ${token}`,
      'percent-encoded': token.replaceAll('.', '%2e'),
      'flattened JSON': JSON.stringify({ protected: h, payload: p, signature: s }),
      'general JSON': JSON.stringify({ payload: p, signatures: [{ protected: h, signature: s }] }),
    }
    await assertAccepted(app, token, 'as it should be')
    for (const [name, shape] of Object.entries(shapes)) await assertRefused(app, shape, name)
  })

  test('T08: header and payload must be JSON objects of UTF-8', async () => {
    const header = '{"alg":"HS256"}'
    const bad = ['', ' ', 'null', '1', '"text"', '[]', '{', `{"alg":"HS256"}x`, `\ufeff${header}`]
    for (const text of bad) {
      await assertRefused(app, signed(text), `header ${text}`)
      await assertRefused(app, signed(header, text), `payload ${text}`)
    }
    const latin1 = (text: string) => Buffer.from(text, 'latin1').toString('base64url')
    const body = JSON.stringify({ ...claims, username: '\u00e9' })
    for (const [first, second] of [
      [latin1('{"alg":"HS256","x":"\u00e9"}'), segment(claims)],
      [segment(header), latin1(body)],
    ]) {
      const input = `${first}.${second}`
      await assertRefused(app, `${input}.${ours(input).toString('base64url')}`, 'not UTF-8')
    }
    assert.equal(segment(header), latin1(header))
  })

  test('T08: a token of more than 8192 characters is 401, one of 8192 is not', async () => {
    const filled = (length: number) =>
      signed({ alg: 'HS256' }, { ...claims, fill: 'x'.repeat(length) })
    const least = filled(0).length
    let room = Math.floor(((8192 - least) * 3) / 4)
    while (filled(room + 1).length <= 8192) room += 1
    await assertAccepted(app, filled(room), 'the longest')
    assert.ok(filled(room + 1).length <= 8194)
    await assertRefused(app, filled(room + 1), 'one byte more')
    await assertRefused(app, filled(60_000), '80 kB past the parser')
  })

  test('T08: a token of 64 kB on the wire is 431', async () => {
    const { port } = await app.listen()
    const authorization = `Bearer ${signed({ alg: 'HS256' }, { ...claims, fill: 'x'.repeat(48_000) })}`
    const answer = await new Promise<[number | undefined, string]>((resolve, reject) => {
      request(
        { host: '127.0.0.1', port, path: '/api/me', headers: { authorization } },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk: string) => {
            text += chunk
          })
          response.on('end', () => resolve([response.statusCode, text]))
        },
      )
        .on('error', reject)
        .end()
    })
    assert.deepEqual(answer, [431, '{"error":"Request header fields too large"}'])
  })
})

// A database makes a difference: the ends of sessions and tokens are rows, and each of them must be there after the answer.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Headers, testApp } from '../app.ts'
import { databaseLock } from '../database.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

const json = 'application/json'
const form = 'application/x-www-form-urlencoded'
const large = 17_000

/** Bodies that the service cannot read, or that are no object, by what they are. */
const unreadable: Readonly<Record<string, readonly [type: string, body: string | Buffer]>> = {
  'null as JSON': [json, 'null'],
  'an array as JSON': [json, '[]'],
  'an array of objects as JSON': [json, '[{}]'],
  'a number as JSON': [json, '1'],
  'an empty text as JSON': [json, '""'],
  'a line break as JSON': [json, '"\n"'],
  'a cut object as JSON': [json, '{'],
  'single quotes as JSON': [json, "{'a':1}"],
  'a form as JSON': [json, 'refresh_token=abc'],
  'invalid UTF-8 as JSON': [json, Buffer.from([0x7b, 0xff, 0x7d])],
  '__proto__ as JSON': [json, '{"__proto__":{}}'],
  'constructor.prototype as JSON': [json, '{"constructor":{"prototype":{}}}'],
  'nothing as JSON': [json, ''],
  'JSON that is too large': [json, JSON.stringify({ a: 'x'.repeat(large) })],
  'nested JSON': [json, '['.repeat(8_000)],
  'compressed JSON': [json, gzipSync('{}')],
  'JSON in UTF-16': [`${json}; charset=utf-16`, Buffer.from('{}', 'utf16le')],
  'JSON with an unknown charset': [`${json}; charset=none`, '{'],
  'JSON of a broken content type': [`${json}; charset`, '{'],
  'a form that is not UTF-8': [form, 'refresh_token=%ff'],
  'a form of raw bytes': [form, Buffer.from([0x61, 0x3d, 0xff])],
  'a form of 101 fields': [form, 'a=b&'.repeat(101)],
  'a form that is too large': [form, `a=${'x'.repeat(large)}`],
  'JSON as a form': [form, '{"refresh_token":null}'],
  'another content type': ['multipart/form-data; boundary=x', '--x'],
  'an empty content type': ['', 'x'],
}

suite('POST /logout ends what cookie and header name, whatever the body is', async () => {
  const app = await testApp({ SESSIONS_PER_ACCOUNT: '0' })
  const ann = await app.account('ann')
  const { port } = await app.listen()
  const loggedOut = [200, { message: 'Logged out' }]

  const isAccepted = async ({ session, bearer }: { session: Headers; bearer: Headers }) => {
    const asked = [
      await app.call('GET', '/api/protected', { headers: session }),
      await app.call('GET', '/api/me', { headers: bearer }),
    ]
    return asked.map(({ status }) => status)
  }

  for (const [what, [type, body]] of Object.entries(unreadable)) {
    test(`${what}: 200, and the session and the bearer token have ended`, async () => {
      const login = { session: await app.session(ann), bearer: await app.bearer(ann) }
      const other = { session: await app.session(ann), bearer: await app.bearer(ann) }
      const headers = { cookie: login.session.cookie, ...login.bearer, 'content-type': type }
      const answer = await app.call('POST', '/logout', { headers, body })
      assert.deepEqual([answer.status, answer.body], loggedOut)
      assert.equal(answer.cookies.JSESSIONID, '')
      assert.deepEqual(await isAccepted(login), [401, 401])
      assert.deepEqual(await isAccepted(other), [200, 200])
    })
  }

  test('chunks beyond the limit are not kept: 200, and the login has ended', async () => {
    const { cookie, ...session } = await app.session(ann)
    const chunk = `400\r\n${'x'.repeat(0x400)}\r\n`
    const head = { Cookie: cookie, 'Content-Type': json, 'Transfer-Encoding': 'chunked' }
    const chunks = `${chunk.repeat(40)}0\r\n\r\n`
    const bytes = rawRequest('POST /logout HTTP/1.1', head, chunks)
    const { answers } = await exchange(port, bytes)
    assert.deepEqual(
      answers.map(({ status, body }) => [status, JSON.parse(body)]),
      [loggedOut],
    )
    const after = await app.call('GET', '/api/protected', { headers: { ...session, cookie } })
    assertRefusal(after, 401, 'Authentication required')
  })

  test('an end that cannot be stored is 503, and the login goes on', async () => {
    const impatient = await testApp({ DATABASE_TIMEOUT_MS: '20' })
    const session = await impatient.session(impatient.admin)
    const before = await impatient.rows()
    const lock = await databaseLock(impatient)
    await lock.hold()
    const headers = { ...session, 'content-type': json }
    const answer = await impatient.call('POST', '/logout', { headers, body: '{' })
    await lock.release()
    assertRefusal(answer, 503, 'Service unavailable')
    assert.deepEqual(answer.cookies, {})
    assert.deepEqual(await impatient.rows(), before)
    const goesOn = await impatient.call('GET', '/api/protected', { headers: session })
    assert.equal(goesOn.status, 200)
    await impatient.close()
  })

  test('a refresh token in a body that can be read ends beside them', async () => {
    for (const kind of ['json', 'form'] as const) {
      const { refresh_token } = await app.pair(ann)
      const session = await app.session(ann)
      const answer = await app.call('POST', '/logout', {
        headers: session,
        [kind]: { refresh_token },
      })
      assert.deepEqual([answer.status, answer.body], loggedOut)
      const refreshed = await app.call('POST', '/refresh', { json: { refresh_token } })
      assertRefusal(refreshed, 401, 'Invalid refresh token')
      const after = await app.call('GET', '/api/protected', { headers: session })
      assertRefusal(after, 401, 'Authentication required')
    }
  })

  test('no login and an unreadable body: the same 200, and nothing changes', async () => {
    const before = await app.rows()
    for (const [type, body] of Object.values(unreadable)) {
      const headers = { 'content-type': type }
      const answer = await app.call('POST', '/logout', { headers, body })
      assert.deepEqual([answer.status, answer.body], loggedOut)
    }
    assert.deepEqual(await app.rows(), before)
  })
})

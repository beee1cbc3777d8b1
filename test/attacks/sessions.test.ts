import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { digest } from '../../src/core/crypto/digest.ts'
import { type Answer, type Someone, type TestApp, testApp } from '../app.ts'
import { databaseLock } from '../database.ts'
import { doors, eventsNamed, newHost } from '../logins.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

const unauthenticated = 'Authentication required'
const cookieOf = ({ cookies }: Answer) => ({ cookie: `JSESSIONID=${cookies.JSESSIONID}` })
const greeting = (app: TestApp, headers: Record<string, string>) =>
  app.call('GET', '/api/protected', { headers })
const sessionsIn = async (app: TestApp) =>
  (await app.deps.db.selectFrom('sessions').selectAll().execute()).map((row) => ({ ...row }))

suite('the session cookie', async () => {
  const app = await testApp()
  const ann = await app.account('ann')
  const ben = await app.account('ben')
  const login = (who: Someone, headers: Record<string, string> = {}) =>
    doors['form, session'](app, who, { headers, from: newHost() })

  test('5.2: is HttpOnly, Secure, SameSite=Strict, for every path, and 256 random bits', async () => {
    const answer = await login(ann)
    assert.match(
      String(answer.headers['set-cookie']),
      /^JSESSIONID=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    assert.deepEqual(Object.keys(answer.body).sort(), ['csrf_token', 'message'])
    assert.match(answer.body.csrf_token, /^[A-Za-z0-9_-]{43}$/)
    assert.notEqual(answer.body.csrf_token, answer.cookies.JSESSIONID)
  })

  test('its value is in no table, no log line and no body: its SHA-256 is', async () => {
    const answer = await login(ann)
    const secret = answer.cookies.JSESSIONID ?? ''
    await greeting(app, cookieOf(answer))
    const everything = JSON.stringify([await app.rows(), app.log, answer.text])
    assert.equal(everything.includes(secret), false)
    const ids = (await sessionsIn(app)).map(({ id }) => id)
    assert.ok(ids.includes(digest(secret)))
    // What stands in the table opens nothing.
    for (const id of ids) {
      assertRefusal(await greeting(app, { cookie: `JSESSIONID=${id}` }), 401, unauthenticated)
    }
  })

  test('T45: a login takes a new id, and ends the session that the request came with', async () => {
    const first = await login(ann)
    for (const who of [ann, ben]) {
      const planted = cookieOf(await login(ben))
      const second = await login(who, planted)
      assert.equal(second.status, 200)
      assert.notEqual(second.cookies.JSESSIONID, planted.cookie.slice('JSESSIONID='.length))
      assertRefusal(await greeting(app, planted), 401, unauthenticated)
      assert.equal((await greeting(app, cookieOf(second))).body.message, `Hello, ${who.username}`)
    }
    assert.equal((await greeting(app, cookieOf(first))).status, 200) // another browser's
  })

  test('T45: an id of the attacker’s making never becomes a session', async () => {
    const planted = 'A'.repeat(43)
    const answer = await login(ann, { cookie: `JSESSIONID=${planted}` })
    assert.notEqual(answer.cookies.JSESSIONID, planted)
    assertRefusal(await greeting(app, { cookie: `JSESSIONID=${planted}` }), 401, unauthenticated)
  })

  test('a failed login neither ends the session that it came with nor starts one', async () => {
    const present = cookieOf(await login(ann))
    const before = await sessionsIn(app)
    const answer = await login({ ...ann, password: 'not the password' }, present)
    assertRefusal(answer, 401, 'Invalid credentials')
    assert.deepEqual(answer.cookies, {})
    assert.deepEqual(await sessionsIn(app), before)
    assert.equal((await greeting(app, present)).status, 200)
  })

  test('T46: the CSRF token of the session before the login is worth nothing after it', async () => {
    const before = await login(ann)
    const after = await login(ann, cookieOf(before))
    assert.notEqual(after.body.csrf_token, before.body.csrf_token)
    for (const [token, status] of [
      [before.body.csrf_token, 403],
      [after.body.csrf_token, 200],
    ] as const) {
      const headers = { ...cookieOf(after), 'x-csrf-token': token }
      assert.equal((await app.call('POST', '/api/transfer', { headers })).status, status)
    }
  })

  const real = cookieOf(await login(ann)).cookie
  const secret = real.slice('JSESSIONID='.length)
  const bogus = `JSESSIONID=${'B'.repeat(43)}`

  /** Cookie headers, and whether the session is found in them. The first of a name counts. */
  const cookieHeaders: readonly (readonly [about: string, cookie: string, status: 200 | 401])[] = [
    ['alone', real, 200],
    ['among others', `a=b; ${real}; c="d"`, 200],
    ['T47: first of two', `${real}; ${bogus}`, 200],
    ['T47: second of two', `${bogus}; ${real}`, 401],
    ['T47: after an empty one', `JSESSIONID=; ${real}`, 401],
    ['T47: another case', `jsessionid=${secret}`, 401],
    ['T47: an encoded name', `%4aSESSIONID=${secret}`, 401],
    ['T47: a prefixed name', `__Host-JSESSIONID=${secret}`, 401],
    ['T47: a longer name', `XJSESSIONID=${secret}`, 401],
    ['T47: the name in a value', `a=JSESSIONID=${secret}`, 401],
    ['T47: an attribute of old', `$Version=1; ${bogus}; $Path=/`, 401],
    ['T47: no value', 'JSESSIONID', 401],
    ['T47: cut', real.slice(0, -1), 401],
    ['T47: longer', `${real}A`, 401],
    ['T47: another alphabet', `JSESSIONID=${'+'.repeat(43)}`, 401],
    ['T47: a bad encoding', `${real}%`, 401],
    ['T47: bad UTF-8', 'JSESSIONID=%ff%fe%80', 401],
    ['T47: raw bytes', 'JSESSIONID=\u00ff\u00fe\u0080', 401],
    ['T47: NUL', `${real}%00`, 401],
    ['T47: 8 kB of value', `JSESSIONID=${'C'.repeat(8192)}`, 401],
    ['T47: 8 kB of other cookies', `a=${'C'.repeat(8192)}; ${real}`, 200],
    ['T47: 2000 cookies', `${'a=b;'.repeat(2000)}${real}`, 200],
    ['T47: the prototype', `__proto__=x; constructor=y; ${bogus}`, 401],
    ['T47: open quotes', `a="; ${real}`, 200],
    ['T47: separators alone', ';;;=;,;  ;', 401],
    ['T47: empty', '', 401],
    ['SQL', "JSESSIONID=' or 1=1 --", 401],
  ]

  for (const [about, cookie, status] of cookieHeaders) {
    test(`${about}: ${status}`, async () => {
      const before = await app.rows('sessions')
      const answer = await greeting(app, { cookie })
      if (status === 401) assertRefusal(answer, 401, unauthenticated)
      else assert.equal(answer.status, 200)
      assert.deepEqual(await app.rows('sessions'), before)
    })
  }

  test('T47: what a parser of bytes makes of cookies is no 5xx either', async () => {
    const { port } = await app.listen()
    const requests: readonly (readonly [string, number])[] = [
      [`Cookie: ${bogus}\r\nCookie: ${real}`, 401],
      [`Cookie: ${real}\r\nCookie: ${bogus}`, 200],
      [`cOOKIE:${real}`, 200],
      [`Cookie: JSESSIONID=\xff\xfe\x80`, 401],
      [`Cookie: a=\xc3\x28; ${real}`, 200],
      [`Cookie: a=${'C'.repeat(20_000)}; ${real}`, 431],
    ]
    for (const [lines, status] of requests) {
      const [name = '', ...rest] = lines.split(': ')
      const raw = rawRequest('GET /api/protected HTTP/1.1').replace(/\r\n\r\n$/, '')
      const { answers } = await exchange(port, `${raw}\r\n${[name, ...rest].join(': ')}\r\n\r\n`)
      assert.equal(answers[0]?.status, status, lines.slice(0, 80))
    }
  })

  test('a cookie name with the prefix __Host- is what the prefix asks for', async () => {
    const host = await testApp({ SESSION_COOKIE_NAME: '__Host-JSESSIONID' })
    const answer = await doors['form, session'](host, host.admin)
    const set = String(answer.headers['set-cookie'])
    assert.match(
      set,
      /^__Host-JSESSIONID=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    const value = answer.cookies['__Host-JSESSIONID']
    assert.equal((await greeting(host, { cookie: `__Host-JSESSIONID=${value}` })).status, 200)
    for (const name of ['JSESSIONID', '__%48ost-JSESSIONID', '__host-JSESSIONID']) {
      assertRefusal(await greeting(host, { cookie: `${name}=${value}` }), 401, unauthenticated)
    }
  })
})

suite('logout', async () => {
  const app = await testApp({ DATABASE_TIMEOUT_MS: '50' })
  const ann = await app.account('ann')
  const done = { message: 'Logged out' }
  const logOut = (headers: Record<string, string> = {}) => app.call('POST', '/logout', { headers })

  test('3.1, 4.1: is 200 with the same body with or without a session', async () => {
    const { cookie } = await app.session(ann)
    const unknown = `JSESSIONID=${'A'.repeat(43)}`
    for (const headers of [{ cookie }, { cookie }, {}, { cookie: unknown }, { cookie: 'x' }]) {
      const answer = await logOut(headers)
      assert.deepEqual([answer.status, answer.body], [200, done])
    }
  })

  test('T48: the cookie is 401 afterwards, and the browser is told to forget it', async () => {
    const [mine, other] = [await app.session(ann), await app.session(ann)]
    const answer = await logOut({ cookie: mine.cookie })
    assert.match(String(answer.headers['set-cookie']), /^JSESSIONID=; .*Expires=Thu, 01 Jan 1970/)
    assertRefusal(await greeting(app, mine), 401, unauthenticated)
    const transfer = await app.call('POST', '/api/transfer', { headers: mine })
    assert.deepEqual([transfer.status, transfer.text], [401, ''])
    assert.equal((await greeting(app, other)).status, 200)
    assert.equal(eventsNamed(app, 'session_ended') > 0, true)
  })

  test('T48: activity that is written after it brings nothing back', async () => {
    const mine = await app.session(ann)
    app.clock.advance(5)
    await greeting(app, mine)
    await logOut(mine)
    await app.app.jobs.find(({ name }) => name === 'session activity')?.run()
    assertRefusal(await greeting(app, mine), 401, unauthenticated)
  })

  test('T59: is 503 and never 200 while the database cannot write', async () => {
    const mine = await app.session(ann)
    const lock = await databaseLock(app)
    await lock.hold()
    const answer = await logOut(mine)
    await lock.release()
    assertRefusal(answer, 503, 'Service unavailable')
    assert.deepEqual(answer.cookies, {})
    assert.equal((await greeting(app, mine)).status, 200) // true: it has not ended
    assert.equal((await logOut(mine)).status, 200)
    assertRefusal(await greeting(app, mine), 401, unauthenticated)
  })

  test('a login is 503 and starts nothing while the database cannot write', async () => {
    const before = await sessionsIn(app)
    const lock = await databaseLock(app)
    await lock.hold()
    const answer = await doors['form, session'](app, ann)
    await lock.release()
    assertRefusal(answer, 503, 'Service unavailable')
    assert.deepEqual(answer.cookies, {})
    assert.deepEqual(await sessionsIn(app), before)
  })

  test('cannot be asked for by GET', async () => {
    const mine = await app.session(ann)
    for (const method of ['GET', 'HEAD']) {
      assert.equal((await app.call(method, '/logout', { headers: mine })).status, 404)
    }
    assert.equal((await greeting(app, mine)).status, 200)
  })
})

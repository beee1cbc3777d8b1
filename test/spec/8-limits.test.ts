import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { loadConfig, settings } from '../config.ts'
import { payloadOf } from '../forge.ts'
import { guess, newHost, tryTimes } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'
import { seedUsers } from '../users.ts'

suite('spec 8: limits', async () => {
  const app = await testApp()
  await seedUsers(app, 20)
  const headers = await app.bearer(app.admin)
  const lifeOf = (token: string) => {
    const { exp, iat } = payloadOf(token)
    return Number(exp) - Number(iat)
  }

  test('session inactivity timeout: 30 minutes', async () => {
    const session = await app.session(app.admin)
    const read = () => app.call('GET', '/api/protected', { headers: session })
    app.clock.advance(30 * 60 - 1)
    assert.equal((await read()).status, 200)
    app.clock.advance(30 * 60)
    assertRefusal(await read(), 401, 'Authentication required')
  })

  test('single access token lifetime: 3600 s', async () => {
    const { username, password } = app.admin
    const { body } = await app.call('POST', '/login', { json: { username, password } })
    assert.deepEqual([body.expires_in, lifeOf(body.token)], [3600, 3600])
  })

  test('access token lifetime in a pair and from /refresh: 900 s', async () => {
    const { access_token, refresh_token } = await app.pair(app.admin)
    assert.equal(lifeOf(access_token), 900)
    const { body } = await app.call('POST', '/refresh', { form: { refresh_token } })
    assert.deepEqual([body.expires_in, lifeOf(body.access_token)], [900, 900])
  })

  test('refresh token lifetime: 604800 s, which is 7 days', async () => {
    const { refresh_token } = await app.pair(app.admin)
    assert.equal(lifeOf(refresh_token), 7 * 86_400)
  })

  test('login attempts: 5 per 15 minutes per username and client address, then 429', async () => {
    const from = newHost()
    const wrong = () => guess(app, { username: 'ann' }, from)
    assert.deepEqual(await tryTimes(6, wrong), [401, 401, 401, 401, 401, 429])
    app.clock.advance(15 * 60)
    assert.deepEqual(await tryTimes(6, wrong), [401, 401, 401, 401, 401, 429])
  })

  test('pagination: default page 1, default limit 10', async () => {
    const fresh = await app.bearer(app.admin)
    for (const query of ['page=', 'limit=']) {
      const { body } = await app.call('GET', `/users?${query}`, { headers: fresh })
      assert.deepEqual([body.page, body.limit, body.data.length], [1, 10, 10])
    }
  })

  test('user name: 1..100 characters', async () => {
    for (const [length, status] of [
      [0, 400],
      [1, 201],
      [100, 201],
      [101, 400],
    ] as const) {
      const json = { name: 'ä'.repeat(length), email: 'ann@example.org' }
      const answer = await app.call('POST', '/users', { headers: app.basic(app.admin), json })
      assert.equal(answer.status, status, `${length}`)
    }
  })

  test('CSRF token: 32 random bytes', async () => {
    const tokens = new Set<string>()
    for (let logins = 0; logins < 3; logins += 1) {
      const session = await app.session(app.admin)
      tokens.add(session['x-csrf-token'])
      assert.equal(Buffer.from(session['x-csrf-token'], 'base64url').length, 32)
    }
    assert.equal(tokens.size, 3)
  })

  test('password length: at least 12', async () => {
    for (const [password, status] of [
      ['quiet melon', 400],
      ['quiet melons', 201],
    ] as const) {
      const json = { username: 'ann', password, roles: [], name: 'Ann', email: 'ann@example.org' }
      const call = { headers: app.basic(app.admin), json }
      assert.equal((await app.call('POST', '/api/admin/accounts', call)).status, status)
    }
  })

  test('request body: 1 MiB, BODY_LIMIT_BYTES, then 413', async () => {
    const typed = { ...app.basic(app.admin), 'content-type': 'application/json' }
    const json = JSON.stringify({ name: 'Ann', email: 'ann@example.org' })
    const send = (length: number) =>
      app.call('POST', '/users', { headers: typed, body: json.padEnd(length) })
    assert.equal((await send(1_048_576)).status, 201)
    assertRefusal(await send(1_048_577), 413, 'Request body too large')
  })

  test('request body of a form, or of a few fields: 16 KiB, then 413', async () => {
    const json = { ...headers, 'content-type': 'application/json' }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = (typed: Record<string, string>, text: string, length: number) =>
      app.call('POST', '/login', { headers: typed, body: text.padEnd(length, ' ') })
    for (const [typed, text] of [
      [json, '{"username":"x","password":"y"}'],
      [form, 'username=x&password=y'],
    ] as const) {
      assertRefusal(await send(typed, text, 16_384), 401, 'Invalid credentials')
      assertRefusal(await send(typed, text, 16_385), 413, 'Request body too large')
    }
  })
})

suite('spec 8: every limit that is built is a setting', () => {
  const rows = [
    ['SESSION_IDLE_SECONDS', 1800],
    ['LOGIN_TOKEN_SECONDS', 3600],
    ['ACCESS_TOKEN_SECONDS', 900],
    ['REFRESH_TOKEN_SECONDS', 604_800],
    ['LOGIN_ATTEMPTS', 5],
    ['LOGIN_WINDOW_SECONDS', 900],
    ['PASSWORD_MIN_LENGTH', 12],
    ['BODY_LIMIT_BYTES', 1_048_576],
  ] as const
  for (const [name, byDefault] of rows) {
    test(`${name} is ${byDefault} by default and can be raised`, () => {
      assert.equal(settings[name].fallback, byDefault)
      loadConfig({ [name]: String(byDefault + 1) })
    })
  }

  test('changed lifetimes are those of the tokens', async () => {
    const app = await testApp({
      LOGIN_TOKEN_SECONDS: '10',
      ACCESS_TOKEN_SECONDS: '20',
      REFRESH_TOKEN_SECONDS: '30',
    })
    const { access_token, refresh_token } = await app.pair(app.admin)
    const lives = [await app.token(app.admin), access_token, refresh_token].map((token) => {
      const { exp, iat } = payloadOf(token)
      return Number(exp) - Number(iat)
    })
    assert.deepEqual(lives, [10, 20, 30])
  })
})

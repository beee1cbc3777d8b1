import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { createLog } from '../../src/core/runtime/deps.ts'
import { type Call, type TestApp, testApp } from '../app.ts'
import { databaseLock, noSuchTable } from '../database.ts'
import { ask, exchange, rawRequest } from '../raw-http.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'

suite('errors', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '1', DATABASE_TIMEOUT_MS: '20' })
  const admin = app.basic(app.admin)
  const bearer = await app.bearer(app.admin)
  const user = await app.bearer(await app.account('ursula'))
  const { port } = await app.listen()
  const wrong = { json: { username: 'nobody', password: 'not the password' } }
  const tooLarge = { body: ' '.repeat(1_048_577), headers: { 'content-type': 'application/json' } }

  const refusals: readonly [number, string, string, string, Call?][] = [
    [
      400,
      'Invalid request body',
      'POST',
      '/login',
      { body: '{', headers: { ...tooLarge.headers } },
    ],
    [400, 'Bad request', 'GET', '/%zz'],
    [401, 'Authentication required', 'GET', '/users'],
    [401, 'No token provided', 'GET', '/api/me'],
    [401, 'Invalid refresh token', 'POST', '/refresh', { json: {} }],
    [401, 'Invalid credentials', 'POST', '/login', wrong],
    [403, 'Access denied', 'GET', '/api/admin/accounts', { headers: user }],
    [404, 'Route not found', 'GET', '/nowhere'],
    [404, 'User not found', 'GET', '/users/999', { headers: admin }],
    [404, 'Account not found', 'GET', '/api/admin/accounts/nobody', { headers: admin }],
    [413, 'Request body too large', 'POST', '/login', tooLarge],
    [429, 'Too many login attempts', 'POST', '/login', wrong],
  ]
  for (const [status, error, method, path, call] of refusals) {
    test(`${status} "${error}" is JSON with the headers of every answer`, async () => {
      const answer = await app.call(method, path, call)
      assertRefusal(answer, status, error)
      assert.equal(answer.headers['content-length'], String(Buffer.byteLength(answer.text)))
      assert.equal(status === 429, answer.headers['retry-after'] !== undefined)
      const doubled = Object.values(answer.headers).filter((value) => Array.isArray(value))
      assert.ok(doubled.length <= (status === 401 ? 1 : 0)) // WWW-Authenticate alone
    })
  }

  test('the 401 without a body has the headers too, and so has the answer to HEAD', async () => {
    const transfer = await app.call('POST', '/api/transfer')
    assert.deepEqual([transfer.status, transfer.text], [401, ''])
    assertHeaders(transfer)
    const head = await ask(port, 'HEAD /nowhere HTTP/1.1')
    assert.deepEqual([head.status, head.body], [404, ''])
    assertHeaders(head)
  })

  test('431 and a parser’s 400 carry the same headers as every other answer', async () => {
    const [long] = (await exchange(port, rawRequest('GET / HTTP/1.1', { X: 'x'.repeat(17_000) })))
      .answers
    const [none] = (await exchange(port, 'x\r\n\r\n')).answers
    assert.ok(long && none)
    assertRefusal(long, 431, 'Request header fields too large')
    assertRefusal(none, 400, 'Bad request')
  })

  test('T95: a database that another process locks is 503 with Retry-After, and nothing changed', async () => {
    const before = await app.rows()
    const lock = await databaseLock(app)
    await lock.hold()
    const json = { name: 'Ann', email: 'ann@example.org' }
    const answers = await Promise.all([
      app.call('POST', '/users', { headers: bearer, json }),
      app.call('POST', '/login', { json: { ...wrong.json, username: 'other' } }),
    ])
    await lock.release()
    for (const answer of answers) {
      assertRefusal(answer, 503, 'Service unavailable')
      assert.match(String(answer.headers['retry-after']), /^[1-9][0-9]*$/)
    }
    assert.deepEqual(await app.rows(), before)
  })
})

const failing: readonly [string, string, (app: TestApp) => Promise<Call>][] = [
  ['GET', '/users/1', async (app) => ({ headers: await app.bearer(app.admin) })],
  ['GET', '/users', async (app) => ({ headers: await app.bearer(app.admin) })],
  ['GET', '/api/v2/users', async (app) => ({ headers: await app.bearer(app.admin) })],
  ['GET', '/api/protected', async (app) => ({ headers: await app.session(app.admin) })],
  ['POST', '/logout', async (app) => ({ headers: await app.session(app.admin) })],
  ['POST', '/login', async (app) => ({ json: { ...app.admin, mode: 'session' } })],
  ['GET', '/api/admin/accounts', async (app) => ({ headers: app.basic(app.admin) })],
  ['GET', '/health/ready', async () => ({})],
]

for (const environment of ['test', 'production', 'development']) {
  suite(`T95: failures with NODE_ENV=${environment}`, async () => {
    const production = { BASE_URL: 'https://id.example.org', TRUST_PROXY: 'none' }
    const env = { NODE_ENV: environment, ...(environment === 'production' && production) }

    test('a statement that fails is 500 and tells its message in development alone', async () => {
      const app = await testApp(env)
      const headers = await app.bearer(app.admin)
      await sql`alter table users rename to hidden`.execute(app.deps.db)
      const answer = await app.call('GET', '/users/1', { headers })
      const more = environment === 'development' ? { message: noSuchTable('users') } : {}
      assertRefusal(answer, 500, 'Internal server error', '', more)
      const refused = await app.call('GET', '/users')
      assertRefusal(refused, 401, 'Authentication required') // no message with other errors
      assert.equal(app.log.filter(({ level }) => level === 'error').length, 1)
      await app.close()
    })

    test('a closed database is 500 or 503 everywhere, never a success, never a stack', async () => {
      const app = await testApp(env)
      const calls: [string, string, Call][] = []
      for (const [method, path, call] of failing) calls.push([method, path, await call(app)])
      await app.deps.db.destroy()
      for (const [method, path, call] of calls) {
        const answer = await app.call(method, path, call)
        const error = answer.status === 503 ? 'Service unavailable' : 'Internal server error'
        assert.ok(answer.status === 500 || answer.status === 503, `${path} ${answer.status}`)
        const told = answer.status === 500 && environment === 'development'
        assertRefusal(
          answer,
          answer.status,
          error,
          path,
          told ? { message: answer.body.message } : {},
        )
        assert.doesNotMatch(answer.text, /node_modules|\.ts|\.js|select |insert |update /)
        assert.deepEqual(answer.cookies, {})
      }
      assert.equal((await app.call('GET', '/health/live')).status, 200)
    })
  })
}

suite('the log', async () => {
  const lines: string[] = []
  const log = createLog('trace', {
    destination: { write: (line: string) => void lines.push(line) },
  })
  const canary = (name: string) => `canary ${name} 0123456789`
  const secret = canary('signing secret in settings, quite long')
  const app = await testApp(
    { ADMIN_PASSWORD: canary('first'), TOKEN_SECRET: secret },
    { deps: { log } },
  )
  const admin = { ...app.admin, password: canary('first') }

  function assertLines(): void {
    for (const line of lines) {
      assert.match(line, /^[^\n\r]*\n$/)
      assert.doesNotMatch(line.trimEnd(), /\p{Cc}/u) // no ESC either: a terminal would obey it
      assert.equal(typeof JSON.parse(line).level, 'string')
    }
  }

  test('T96: hostile names, paths and headers make one JSON line each, and no long one', async () => {
    const forged = '{"level":"info","event":"authn_login_success","user_id":1}'
    const hostile = [
      '\r\n',
      '\n',
      '\r',
      '\u2028',
      '\u001b[2J\u001b[1;31m',
      '\u0000',
      '\u0085',
      '\u202e',
    ]
    const texts = [...hostile.map((odd) => `x${odd}${forged}`), 'x'.repeat(16_000)]
    for (const [index, text] of texts.entries()) {
      const count = lines.length
      const json = { username: text, password: 'x' }
      const answer = await app.call('POST', '/login', { json, from: `192.0.2.${index}` })
      assertRefusal(answer, 401, 'Invalid credentials')
      assert.ok(lines.length - count <= 2, 'an event and a request')
      const encoded = encodeURIComponent(text).slice(0, 8000)
      const header = text.replace(/[^\x20-\x7e\t]/g, '\u00a0').slice(0, 8000)
      for (const path of [`/${encoded}`, `/users/${encoded}`, `/users?q=${encoded}`]) {
        await app.call('GET', path, {
          headers: { 'user-agent': header, 'x-request-id': header, 'x-forwarded-for': header },
        })
      }
    }
    assertLines()
    assert.ok(!lines.some((line) => JSON.parse(line).event === 'authn_login_success'))
    for (const line of lines) assert.ok(line.length < 10_000, line.slice(0, 200))
    assert.ok(!lines.some((line) => line.includes('x'.repeat(9000))))
  })

  test('T96: a request id of the client’s is not taken over', async () => {
    const answer = await app.call('GET', '/health/live', { headers: { 'x-request-id': 'forged' } })
    assert.notEqual(answer.headers['x-request-id'], 'forged')
    assert.ok(!lines.some((line) => line.includes('forged"}')))
  })

  test('T96: no password, token, cookie or key is in any line of the log after any failure', async () => {
    const made = await app.call('POST', '/api/admin/accounts', {
      headers: app.basic(admin),
      json: {
        username: 'ann',
        password: canary('ann'),
        roles: ['USER'],
        name: 'A',
        email: 'a@b.example',
      },
    })
    assert.equal(made.status, 201)
    const someone = { userId: made.body.user_id, username: 'ann', password: canary('ann') }
    const session = await app.session(someone)
    const pair = await app.pair(someone)
    const secrets = [
      ...[secret, admin.password, someone.password, canary('typo'), canary('new')],
      ...[session.cookie.split('=')[1] ?? '', session['x-csrf-token']],
      ...[pair.access_token, pair.refresh_token, app.basic(someone).authorization?.slice(6) ?? ''],
    ]
    const everything = async () => {
      const typo = { username: canary('typo'), password: canary('typo') }
      const headers = { ...session, authorization: `Bearer ${pair.access_token}` }
      const { refresh_token } = pair
      await app.call('POST', '/login', { json: typo })
      await app.call('POST', '/login', { form: { ...typo, username: 'ann' } })
      await app.call('POST', '/login', { json: { ...someone, new_password: canary('new') } })
      await app.call('POST', '/refresh', { json: { refresh_token } })
      await app.call('POST', `/refresh?refresh_token=${refresh_token}`, { json: {} })
      await app.call('GET', `/users?access_token=${pair.access_token}`, { headers })
      await app.call('GET', '/api/me', { headers })
      await app.call('GET', '/users', { headers: app.basic(someone) })
      await app.call('POST', '/api/transfer', { headers: session })
      await app.call('GET', '/api/session', { headers: session })
      await app.call('PUT', '/api/admin/accounts/ann', {
        headers: app.basic(admin),
        json: { must_change: true, password: canary('new') },
      })
    }
    await everything()
    await app.deps.db.destroy()
    await everything()
    await app.call('POST', '/logout', { headers: session })
    assertLines()
    assert.ok(lines.some((line) => JSON.parse(line).level === 'error'))
    const all = lines.join('')
    for (const text of secrets) {
      assert.ok(text.length > 20)
      assert.ok(!all.includes(text), text)
    }
  })
})

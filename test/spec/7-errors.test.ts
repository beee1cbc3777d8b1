import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { errorTable } from '../../src/core/error-table.ts'
import { type Call, testApp } from '../app.ts'
import { databaseLock, noSuchTable } from '../database.ts'
import { enrol } from '../factor.ts'
import { guess } from '../logins.ts'
import { ask, exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

interface Row {
  /** How it is provoked. */
  readonly by: readonly [string, string, Call?]
  readonly status: number
  readonly error: string
  readonly more?: object
}

const required = (...fields: string[]) => ({
  details: fields.map((field) => ({ path: [field], message: 'is required' })),
})

suite('spec 7: errors', async () => {
  const app = await testApp({
    LOGIN_ATTEMPTS: '2',
    LOGIN_LOCK_AFTER: '0',
    DATABASE_TIMEOUT_MS: '20',
  })
  const ann = await app.account('ann')
  const must = await app.account('must', [], { must_change: true })
  const admin = await app.bearer(app.admin)
  const user = await app.bearer(ann)
  const session = await app.session(app.admin)
  const json = { name: 'Ann', email: 'ann@example.org' }
  const typed = { 'content-type': 'application/json' }
  const first = { ...json, name: 'Bob' }
  await app.call('POST', '/users', { headers: { ...admin, 'idempotency-key': 'one' }, json: first })
  const account = { username: 'bob', password: 'quiet melons roll', roles: [] }
  const wrongBasic = app.basic({ ...ann, password: 'not the password' })
  const badToken = { authorization: 'Bearer nonsense' }

  const section7: Record<string, Row | readonly Row[]> = {
    'body not valid JSON': {
      by: ['POST', '/users', { headers: { ...admin, ...typed }, body: '{' }],
      ...{ status: 400, error: 'Invalid request body' },
    },
    'name or email missing': {
      by: ['POST', '/users', { headers: admin, json: {} }],
      ...{ status: 400, error: 'Name and email required', more: required('name', 'email') },
    },
    'schema validation failed': {
      by: ['POST', '/users', { headers: admin, json: { ...json, email: 'x' } }],
      ...{ status: 400, error: 'Validation failed' },
      more: { details: [{ path: ['email'], message: 'must be an e-mail address' }] },
    },
    'Basic credentials missing or wrong, or no session': [
      ['GET', '/users'] as const,
      ['GET', '/users', { headers: wrongBasic }] as const,
      ['GET', '/api/protected'] as const,
    ].map((by) => ({ by, status: 401, error: 'Authentication required' })),
    'wrong username or password at login': [
      { ...ann, username: 'nobody' },
      { ...ann, password: 'not the password' },
    ].map(({ username, password }) => ({
      by: ['POST', '/login', { json: { username, password }, from: '192.0.2.1' }] as const,
      ...{ status: 401, error: 'Invalid credentials' },
    })),
    'bearer token invalid or expired (filter)': {
      by: ['GET', '/users', { headers: badToken }],
      ...{ status: 401, error: 'Invalid or expired token' },
    },
    'bearer token missing (middleware variant)': {
      by: ['GET', '/api/me'],
      ...{ status: 401, error: 'No token provided' },
    },
    'bearer token invalid (middleware variant)': {
      by: ['GET', '/api/me', { headers: badToken }],
      ...{ status: 401, error: 'Invalid token' },
    },
    'refresh token invalid or not of type refresh': [
      'nonsense',
      String(user.authorization).slice(7),
    ].map((refresh_token) => ({
      by: ['POST', '/refresh', { form: { refresh_token } }] as const,
      ...{ status: 401, error: 'Invalid refresh token' },
    })),
    'CSRF token missing or mismatched': [{}, { 'x-csrf-token': 'another' }].map((headers) => ({
      by: ['POST', '/api/transfer', { headers: { cookie: session.cookie, ...headers } }] as const,
      ...{ status: 403, error: 'CSRF token invalid' },
    })),
    'authenticated but lacking role or ownership': [
      ['GET', '/api/admin/accounts', { headers: user }] as const,
      ['PUT', '/users/1', { headers: user, json: {} }] as const,
    ].map((by) => ({ by, status: 403, error: 'Access denied' })),
    'user id not found': {
      by: ['GET', '/users/999', { headers: admin }],
      ...{ status: 404, error: 'User not found' },
    },
    'route not matched': { by: ['GET', '/nowhere'], status: 404, error: 'Route not found' },
  }

  const besideIt: Record<string, Row> = {
    'an address that is none': { by: ['GET', '/%zz'], status: 400, error: 'Bad request' },
    'an account that must change its password': {
      by: ['POST', '/login', { json: { username: must.username, password: must.password } }],
      ...{ status: 403, error: 'Password change required' },
    },
    'post not found': {
      by: ['GET', '/api/posts/999', { headers: admin }],
      ...{ status: 404, error: 'Post not found' },
    },
    'account not found': {
      by: ['GET', '/api/admin/accounts/nobody', { headers: admin }],
      ...{ status: 404, error: 'Account not found' },
    },
    'a sign-in that was not begun': {
      by: ['GET', '/oauth/second-factor'],
      ...{ status: 400, error: 'Sign-in failed' },
    },
    'a change that wants a proof of the person': {
      by: ['POST', '/api/account/totp', { headers: admin }],
      ...{ status: 401, error: 'Confirmation required', more: { proofs: ['password'] } },
    },
    'an identity that one does not have': {
      by: ['DELETE', '/api/account/identities/1', { headers: admin }],
      ...{ status: 404, error: 'Identity not found' },
    },
    'session not found': {
      by: ['DELETE', '/api/account/sessions/nothing', { headers: admin }],
      ...{ status: 404, error: 'Session not found' },
    },
    'a second factor that one does not have': {
      by: ['DELETE', '/api/account/totp', { headers: admin, json: {} }],
      ...{ status: 404, error: 'Second factor not found' },
    },
    'a body with a content coding': {
      by: ['POST', '/users', { headers: { ...admin, 'content-encoding': 'gzip' }, json }],
      ...{ status: 415, error: 'Unsupported media type' },
    },
    'a name that is taken': {
      by: [
        'POST',
        '/api/admin/accounts',
        { headers: admin, json: { ...account, username: 'ann', ...json } },
      ],
      ...{ status: 409, error: 'Username already exists' },
    },
    'a user that has an account': {
      by: ['POST', '/api/admin/accounts', { headers: admin, json: { ...account, user_id: 1 } }],
      ...{ status: 409, error: 'User already has an account' },
    },
    'the last administrator': {
      by: ['DELETE', '/users/1', { headers: admin }],
      ...{ status: 409, error: 'Last administrator' },
    },
    'something that has changed since': {
      by: ['PUT', '/users/1', { headers: { ...admin, 'if-match': '"old"' }, json: {} }],
      ...{ status: 412, error: 'Precondition failed' },
    },
    'an idempotency key with another body': {
      by: ['POST', '/users', { headers: { ...admin, 'idempotency-key': 'one' }, json }],
      ...{ status: 422, error: 'Idempotency key reused' },
    },
    'a body too large': {
      by: ['POST', '/login', { body: ' '.repeat(1_048_577), headers: typed }],
      ...{ status: 413, error: 'Request body too large' },
    },
  }

  for (const [section, table] of Object.entries({ '7': section7, 'beside 7': besideIt })) {
    for (const [condition, rows] of Object.entries(table)) {
      test(`${section}, ${condition}: its status, its text, and nothing changed`, async () => {
        for (const { by, status, error, more } of [rows].flat()) {
          const before = await app.rows('throttle_places')
          assertRefusal(await app.call(...by), status, error, condition, more)
          assert.deepEqual(await app.rows('throttle_places'), before)
        }
      })
    }
  }

  test('login throttle exceeded: 429 with Retry-After', async () => {
    const call = { json: { username: 'ann', password: 'not the password' }, from: '192.0.2.2' }
    for (let tries = 0; tries < 2; tries += 1) await app.call('POST', '/login', call)
    const answer = await app.call('POST', '/login', call)
    assertRefusal(answer, 429, 'Too many login attempts')
    assert.equal(answer.headers['retry-after'], '900')
  })

  test('limits that are off by default: 401 with a challenge, 429 with Retry-After', async () => {
    const strict = await testApp({ LOGIN_PROOF_OF_WORK_AFTER: '1', RATE_LIMIT_MAX: '2' })
    const login = () => guess(strict, ann, '192.0.2.3')
    assert.equal((await login()).status, 401)
    const asked = await login()
    assertRefusal(asked, 401, 'Captcha required', '', { captcha: asked.body.captcha })
    const answer = await login()
    assertRefusal(answer, 429, 'Too many requests')
    assert.equal(answer.headers['retry-after'], '900')
  })

  test('second factor and recent login: 401 and 403', async () => {
    const strict = await testApp({ REQUIRE_SECOND_FACTOR: 'ADMIN', REAUTHENTICATE_SECONDS: '60' })
    const { username, password } = strict.admin
    const login = (more = {}) =>
      strict.call('POST', '/login', { json: { username, password, ...more } })
    const held = await login()
    const { enrolment_token } = held.body
    assertRefusal(held, 403, 'Second factor enrolment required', '', { enrolment_token })
    const { code } = await enrol(strict, { authorization: `Bearer ${enrolment_token}` })
    const asked = await login()
    assertRefusal(asked, 401, 'Second factor required', '', { second_factor: 'totp' })
    strict.clock.advance(30)
    const headers = { authorization: `Bearer ${(await login({ totp: code() })).body.token}` }
    strict.clock.advance(61)
    const late = await strict.call('POST', '/api/account/totp', { headers })
    assertRefusal(late, 401, 'Recent login required')
  })

  test('an identity provider that is none: 502', async () => {
    const nobody = await testApp()
    const { url } = await nobody.listen()
    const client = await testApp({ OIDC_ISSUER: url, OIDC_CLIENT_ID: 'x' })
    const before = await client.rows()
    assertRefusal(await client.call('GET', '/oauth/login'), 502, 'Identity provider error')
    assert.deepEqual(await client.rows(), before)
  })

  test('what the parser of HTTP refuses has the same shape: 400 and 431', async () => {
    const { port } = await app.listen()
    assertRefusal(await ask(port, 'GET / HTTP/1.1', { 'Content-Length': 'x' }), 400, 'Bad request')
    const { answers } = await exchange(
      port,
      rawRequest('GET / HTTP/1.1', { X: 'x'.repeat(17_000) }),
    )
    assert.equal(answers.length, 1)
    for (const answer of answers) assertRefusal(answer, 431, 'Request header fields too large')
  })

  test('a database that cannot write: 503 with Retry-After', async () => {
    const before = await app.rows()
    const lock = await databaseLock(app)
    await lock.hold()
    const answer = await app.call('POST', '/users', { headers: admin, json })
    await lock.release()
    assertRefusal(answer, 503, 'Service unavailable')
    assert.match(String(answer.headers['retry-after']), /^[1-9][0-9]*$/)
    assert.deepEqual(await app.rows(), before)
  })

  for (const NODE_ENV of ['development', 'test', 'production']) {
    const isTold = NODE_ENV === 'development'
    test(`unhandled failure in ${NODE_ENV}: 500 ${isTold ? 'with' : 'without'} message`, async () => {
      const broken = await testApp({ NODE_ENV, TRUST_PROXY: 'none' })
      const headers = await broken.bearer(broken.admin)
      await sql`alter table users rename to hidden`.execute(broken.deps.db)
      const answer = await broken.call('GET', '/users/1', { headers })
      const more = isTold ? { message: noSuchTable('users') } : {}
      assertRefusal(answer, 500, 'Internal server error', '', more)
      assertRefusal(await broken.call('GET', '/nowhere'), 404, 'Route not found')
    })
  }

  test('no error of the error table is missing here, but for the slow one', () => {
    const rows = [...Object.values(section7), ...Object.values(besideIt)].flat()
    const here = new Set(rows.map(({ error }) => error))
    for (const name of [
      'captchaRequired',
      'secondFactorRequired',
      'enrolmentRequired',
      'recentLoginRequired',
      'tooManyRequests',
      'tooManyLoginAttempts',
      'headerFieldsTooLarge',
      'serviceUnavailable',
      // What only extras refuse: test/spec/errors-of-extras.test.ts.
      'confirmationInvalid',
      'emailExists',
      'emailNotVerified',
      'expectationFailed', // needs a connection: test/attacks/connect.test.ts
      'httpsRequired', // needs a certificate: test/attacks/plain-http.test.ts
    ] as const)
      here.add(errorTable[name].error)
    here.add(errorTable.internal.error)
    const known = Object.values(errorTable).map(({ error }) => error)
    assert.deepEqual(
      known.filter((error) => !here.has(error)),
      ['Request timeout'],
    )
  })
})

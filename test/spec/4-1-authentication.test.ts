import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { testApp } from '../app.ts'
import { heard } from '../database.ts'

const invalidCredentials = { error: 'Invalid credentials' }

suite('spec 4.1: POST /login', async () => {
  const app = await testApp({ LOGIN_LOCK_AFTER: '0' })
  const ann = await app.account('ann', ['USER', 'EDITOR'])
  const right = { username: 'ann', password: ann.password }

  test('session variant: a form gets a message, a CSRF token and the cookie', async () => {
    const answer = await app.call('POST', '/login', { form: right })
    assert.equal(answer.status, 200)
    assert.deepEqual(Object.keys(answer.body), ['message', 'csrf_token'])
    assert.equal(typeof answer.body.message, 'string')
    assert.match(answer.body.csrf_token, /^[A-Za-z0-9_-]{43}$/)
    const [cookie = ''] = [answer.headers['set-cookie'] ?? ''].flat().map(String)
    assert.match(
      cookie,
      /^JSESSIONID=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
  })

  test('token variant: a form that asks for it gets a token of 3600 seconds', async () => {
    const answer = await app.call('POST', '/login', { form: { ...right, mode: 'token' } })
    assert.equal(answer.status, 200)
    assert.deepEqual(
      { ...answer.body, token: '' },
      { token: '', token_type: 'Bearer', expires_in: 3600 },
    )
    const { exp = 0, iat = 0 } = decodeJwt(answer.body.token)
    assert.equal(exp - iat, 3600)
    assert.deepEqual(answer.cookies, {})
  })

  test('JSON variant: a token', async () => {
    const answer = await app.call('POST', '/login', { json: right })
    assert.equal(answer.status, 200)
    assert.equal(typeof answer.body.token, 'string')
  })

  test('two-token pattern: 900 and 604800 seconds', async () => {
    const { access_token, refresh_token, ...rest } = await app.pair(ann)
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 900 })
    const access = decodeJwt(access_token)
    const refresh = decodeJwt(refresh_token)
    assert.equal((access.exp ?? 0) - (access.iat ?? 0), 900)
    assert.equal((refresh.exp ?? 0) - (refresh.iat ?? 0), 604_800)
  })

  test('every mode can be asked for by form and by JSON', async () => {
    const fields = { session: 'csrf_token', token: 'token', pair: 'refresh_token' }
    for (const [mode, field] of Object.entries(fields)) {
      for (const call of [{ form: { ...right, mode } }, { json: { ...right, mode } }]) {
        const answer = await app.call('POST', '/login', call)
        assert.equal(answer.status, 200, mode)
        assert.ok(field in answer.body, mode)
      }
    }
  })

  test('LOGIN_FORM_MODE and LOGIN_JSON_MODE choose what an unnamed mode is', async () => {
    const other = await testApp({ LOGIN_FORM_MODE: 'pair', LOGIN_JSON_MODE: 'session' })
    const { username, password } = other.admin
    const form = await other.call('POST', '/login', { form: { username, password } })
    const json = await other.call('POST', '/login', { json: { username, password } })
    assert.ok('refresh_token' in form.body)
    assert.ok('JSESSIONID' in json.cookies)
  })

  test('an unknown mode is a violation and takes no place of the throttle', async () => {
    const before = await app.rows()
    const answer = await app.call('POST', '/login', { json: { ...right, mode: 'cookie' } })
    assert.equal(answer.status, 400)
    assert.deepEqual(answer.body, {
      error: 'Validation failed',
      details: [{ path: ['mode'], message: 'must be one of session, token, pair' }],
    })
    assert.deepEqual(await app.rows(), before)
  })

  const refused: [string, object][] = [
    ['a wrong password', { ...right, password: 'not the right one' }],
    ['an unknown username', { username: 'nobody', password: ann.password }],
    ['no username', { password: ann.password }],
    ['an empty username', { ...right, username: '' }],
    ['no password', { username: 'ann' }],
    ['an empty password', { ...right, password: '' }],
    ['a username that is no text', { ...right, username: ['ann'] }],
    ['a password that is no text', { ...right, password: 12 }],
    ['nothing', {}],
  ]
  for (const [what, json] of refused) {
    test(`${what} is 401 "Invalid credentials"`, async () => {
      const before = await app.rows('throttle_places')
      const answer = await app.call('POST', '/login', { json })
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body, invalidCredentials)
      assert.deepEqual(answer.cookies, {})
      assert.deepEqual(await app.rows('throttle_places'), before)
    })
  }

  test('a request without any body is 401, one that does not parse 400', async () => {
    const none = await app.call('POST', '/login')
    assert.equal(none.status, 401)
    assert.deepEqual(none.body, invalidCredentials)
    for (const body of ['{', '', 'username=ann']) {
      const answer = await app.call('POST', '/login', {
        body,
        headers: { 'content-type': 'application/json' },
      })
      assert.equal(answer.status, 400, body)
      assert.deepEqual(answer.body, { error: 'Invalid request body' })
    }
    const list = await app.call('POST', '/login', { json: [] })
    assert.deepEqual(list.body.details, [{ path: [], message: 'must be object' }])
  })

  test('GET /login does not exist', async () => {
    const answer = await app.call('GET', '/login?username=ann&password=x')
    assert.equal(answer.status, 404)
    assert.deepEqual(answer.body, { error: 'Route not found' })
  })
})

suite('spec 4.1: POST /logout', async () => {
  const app = await testApp()

  test('ends the session of its cookie: 200 with a message', async () => {
    const headers = await app.session(app.admin)
    const answer = await app.call('POST', '/logout', { headers: { cookie: headers.cookie } })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { message: 'Logged out' })
    assert.equal(answer.cookies.JSESSIONID, '')
    assert.equal((await app.rows()).sessions?.length, 0)
    assert.equal((await app.call('GET', '/api/protected', { headers })).status, 401)
  })

  test('without a session, or with one that has ended: 200, the same body', async () => {
    for (const headers of [{}, { cookie: 'JSESSIONID=nonsense' }]) {
      const answer = await app.call('POST', '/logout', { headers })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { message: 'Logged out' })
    }
  })
})

suite('spec 4.1: POST /refresh', async () => {
  const app = await testApp()
  const ann = await app.account('ann')
  const invalid = { error: 'Invalid refresh token' }

  for (const kind of ['form', 'json'] as const) {
    test(`a refresh token by ${kind} gives an access token of 900 seconds, and no other`, async () => {
      const { refresh_token } = await app.pair(ann)
      const answer = await app.call('POST', '/refresh', { [kind]: { refresh_token } })
      assert.equal(answer.status, 200)
      assert.deepEqual(
        { ...answer.body, access_token: '' },
        { access_token: '', token_type: 'Bearer', expires_in: 900 },
      )
      const headers = { authorization: `Bearer ${answer.body.access_token}` }
      assert.equal((await app.call('GET', '/api/me', { headers })).status, 200)
    })
  }

  test('the present username and roles are read again', async () => {
    const { refresh_token } = await app.pair(ann)
    await app.call('PUT', '/api/admin/accounts/ann', {
      headers: app.basic(app.admin),
      json: { roles: ['EDITOR'] },
    })
    const answer = await app.call('POST', '/refresh', { form: { refresh_token } })
    const claims = decodeJwt(answer.body.access_token)
    assert.deepEqual(claims.roles, ['EDITOR'])
    assert.equal(claims.username, 'ann')
  })

  test('a refreshed token keeps the time of the login', async () => {
    const { access_token, refresh_token } = await app.pair(ann)
    app.clock.advance(600)
    const answer = await app.call('POST', '/refresh', { form: { refresh_token } })
    const { auth_time, iat } = decodeJwt(answer.body.access_token)
    assert.equal(auth_time, decodeJwt(access_token).auth_time)
    assert.equal(iat, Number(auth_time) + 600)
  })

  test('invalid, expired, missing, empty, or of another type: 401 "Invalid refresh token"', async () => {
    const { access_token, refresh_token } = await app.pair(ann)
    const calls = [
      { form: { refresh_token: 'nonsense' } },
      { form: { refresh_token: access_token } },
      { form: { refresh_token: '' } },
      { form: {} },
      { json: { refresh_token: 5 } },
      { json: { refresh_token: [refresh_token] } },
      {},
    ]
    const before = await app.rows()
    for (const call of calls) {
      const answer = await app.call('POST', '/refresh', call)
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body, invalid)
    }
    const query = await app.call('POST', `/refresh?refresh_token=${refresh_token}`)
    assert.equal(query.status, 401, 'never from the query')
    assert.deepEqual(await app.rows(), before)
    app.clock.advance(604_799)
    assert.equal((await app.call('POST', '/refresh', { form: { refresh_token } })).status, 200)
    app.clock.advance(1)
    const late = await app.call('POST', '/refresh', { form: { refresh_token } })
    assert.equal(late.status, 401)
    assert.deepEqual(late.body, invalid)
  })
})

suite('spec 4.1: what a session and a token open', async () => {
  const app = await testApp()
  const ann = await app.account('ann')

  test('GET /api/protected greets the session, and refuses everyone else', async () => {
    const headers = await app.session(ann)
    const answer = await app.call('GET', '/api/protected', { headers })
    assert.deepEqual(answer.body, { message: 'Hello, ann' })
    for (const other of [{}, app.basic(ann), await app.bearer(ann)]) {
      const refused = await app.call('GET', '/api/protected', { headers: other })
      assert.equal(refused.status, 401)
      assert.deepEqual(refused.body, { error: 'Authentication required' })
    }
  })

  test('GET /api/session lets a page recover its CSRF token', async () => {
    const headers = await app.session(ann)
    const answer = await app.call('GET', '/api/session', { headers })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {
      user_id: String(ann.userId),
      username: 'ann',
      roles: ['USER'],
      csrf_token: headers['x-csrf-token'],
      expires_at: new Date(app.clock.now() + 1800_000).toISOString(),
    })
  })

  test('POST /api/transfer: 200 with the session and its CSRF token', async () => {
    const headers = await app.session(ann)
    for (const call of [{}, { json: { amount: 5 } }, { json: [1] }, { json: null }]) {
      const answer = await app.call('POST', '/api/transfer', { headers, ...call })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { message: 'Transfer accepted' })
    }
  })

  test('POST /api/transfer: 401 without a body where there is no session', async () => {
    const answer = await app.call('POST', '/api/transfer', {
      headers: { 'x-csrf-token': 'x', ...app.basic(ann) },
    })
    assert.equal(answer.status, 401)
    assert.equal(answer.text, '')
    assert.equal(answer.headers['content-length'], '0')
  })

  test('POST /api/transfer: 403 where the CSRF token is missing or another', async () => {
    const { cookie } = await app.session(ann)
    const other = await app.session(ann)
    for (const token of [undefined, '', 'wrong', other['x-csrf-token']]) {
      const answer = await app.call('POST', '/api/transfer', {
        headers: { cookie, ...(token !== undefined && { 'x-csrf-token': token }) },
      })
      assert.equal(answer.status, 403)
      assert.deepEqual(answer.body, { error: 'CSRF token invalid' })
    }
  })

  test('GET /api/me shows sub, email, name and roles of the token', async () => {
    const headers = await app.bearer(ann)
    const answer = await app.call('GET', '/api/me', { headers })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, {
      sub: String(ann.userId),
      email: 'someone@example.org',
      name: 'ann',
      roles: ['USER'],
    })
  })

  test("GET /api/me shows a changed name at once, another process's change too", async () => {
    const headers = await app.bearer(ann)
    const me = async () => (await app.call('GET', '/api/me', { headers })).body.name
    assert.equal(await me(), 'ann')
    const change = (who: typeof app, name: string) =>
      who.call('PUT', `/users/${ann.userId}`, { headers: app.basic(app.admin), json: { name } })
    await change(app, 'Ann')
    assert.equal(await me(), 'Ann')
    const neighbour = await testApp({}, { directory: app.directory, clock: app.clock })
    await change(neighbour, 'Annette')
    await heard(app)
    assert.equal(await me(), 'Annette')
  })

  test('GET /api/me: "No token provided" and "Invalid token"', async () => {
    for (const headers of [{}, app.basic(ann), { cookie: (await app.session(ann)).cookie }]) {
      const answer = await app.call('GET', '/api/me', { headers })
      assert.equal(answer.status, 401)
      assert.deepEqual(answer.body, { error: 'No token provided' })
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="API"')
    }
    const bad = await app.call('GET', '/api/me', { headers: { authorization: 'Bearer nonsense' } })
    assert.equal(bad.status, 401)
    assert.deepEqual(bad.body, { error: 'Invalid token' })
    assert.equal(bad.headers['www-authenticate'], 'Bearer realm="API", error="invalid_token"')
  })
})

suite('spec 2.4, 2.5: what the tokens hold', async () => {
  const app = await testApp({ TOKEN_ISSUER: 'https://issuer.example', TOKEN_AUDIENCE: 'shop' })

  test('an access token has every claim of the table', async () => {
    const token = await app.token(app.admin)
    const now = Math.floor(app.clock.now() / 1000)
    const { jti, ...claims } = decodeJwt(token)
    assert.match(String(jti), /^[A-Za-z0-9_-]{22}$/)
    assert.deepEqual(claims, {
      iss: 'https://issuer.example',
      sub: '1',
      aud: 'shop',
      exp: now + 3600,
      nbf: now,
      iat: now,
      username: 'admin',
      roles: ['USER', 'EDITOR', 'ADMIN'],
      type: 'access',
      auth_time: now,
      amr: ['pwd'],
      ver: 1,
    })
    const { kid, ...header } = decodeProtectedHeader(token)
    assert.deepEqual(header, { alg: 'HS256', typ: 'JWT' })
    assert.equal(typeof kid, 'string')
  })

  test('a refresh token carries iss, sub, type, iat and exp only', async () => {
    const { refresh_token } = await app.pair(app.admin)
    const now = Math.floor(app.clock.now() / 1000)
    assert.deepEqual(decodeJwt(refresh_token), {
      iss: 'https://issuer.example',
      sub: '1',
      type: 'refresh',
      iat: now,
      exp: now + 604_800,
    })
  })

  test('by default the public key of RS256 is published, and nothing private with it', async () => {
    const signed = await testApp({ TOKEN_ALGORITHM: '' })
    const token = await signed.token(signed.admin)
    const { alg, kid } = decodeProtectedHeader(token)
    assert.equal(alg, 'RS256')
    const { keys } = (await signed.call('GET', '/.well-known/jwks.json')).body
    assert.equal(keys.length, 1)
    assert.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use'])
    assert.equal(keys[0].kid, kid)
    assert.deepEqual([keys[0].kty, keys[0].use, keys[0].alg], ['RSA', 'sig', 'RS256'])
    assert.equal(Buffer.from(keys[0].n, 'base64url').length * 8, 2048)
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await signed.call('GET', '/api/me', { headers })).status, 200)
    assert.deepEqual((await app.call('GET', '/.well-known/jwks.json')).body, { keys: [] })
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

suite('spec 5.2: session cookie', async () => {
  const app = await testApp()
  const headers = await app.session(app.admin)
  const json = { name: 'New', email: 'new@example.org' }

  test('login creates a session; the cookie is HttpOnly, Secure and SameSite=Strict', async () => {
    const { username, password } = app.admin
    const answer = await app.call('POST', '/login', { form: { username, password } })
    const [first = '', ...flags] = String(answer.headers['set-cookie']).split('; ')
    assert.match(first, /^JSESSIONID=[A-Za-z0-9_-]{43}$/)
    assert.deepEqual(flags.sort(), ['HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure'])
  })

  test('the timeout is 30 minutes of inactivity', async () => {
    const own = await app.session(app.admin)
    const { body } = await app.call('GET', '/api/session', { headers: own })
    assert.equal(Date.parse(body.expires_at), app.clock.now() + 30 * 60 * 1000)
  })

  test('SESSION_COOKIE_NAME renames the cookie', async () => {
    const named = await testApp({ SESSION_COOKIE_NAME: '__Host-JSESSIONID' })
    const own = await named.session(named.admin)
    assert.match(own.cookie, /^__Host-JSESSIONID=/)
    assert.equal((await named.call('GET', '/api/protected', { headers: own })).status, 200)
    const renamed = { cookie: own.cookie.replace('__Host-', '') }
    const answer = await named.call('GET', '/api/protected', { headers: renamed })
    assertRefusal(answer, 401, 'Authentication required')
  })

  const changing = [
    ['POST', '/api/transfer'],
    ['POST', '/users'],
    ['PUT', '/users/1'],
    ['DELETE', '/users/1'],
    ['POST', '/api/v1/users'],
    ['POST', '/api/v2/users'],
    ['POST', '/api/admin/accounts'],
    ['PUT', '/api/admin/accounts/admin'],
    ['DELETE', '/api/admin/accounts/admin'],
  ] as const
  for (const [method, path] of changing) {
    test(`${method} ${path} requires X-CSRF-Token equal to the session's csrf_token`, async () => {
      const { cookie, 'x-csrf-token': right } = headers
      const others = (await app.session(app.admin))['x-csrf-token']
      const before = await app.rows()
      for (const token of [
        undefined,
        '',
        others,
        right.toLowerCase(),
        right.slice(1),
        `${right}=`,
      ]) {
        const answer = await app.call(method, path, {
          headers: { cookie, ...(token !== undefined && { 'x-csrf-token': token }) },
          json,
        })
        assertRefusal(answer, 403, 'CSRF token invalid', String(token))
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('with the token the operation is done; what changes nothing needs none', async () => {
    assert.equal((await app.call('POST', '/users', { headers, json })).status, 201)
    assert.equal((await app.call('POST', '/api/transfer', { headers })).status, 200)
    const { cookie } = headers
    for (const path of ['/users', '/api/protected', '/api/session', '/api/admin/accounts']) {
      assert.equal((await app.call('GET', path, { headers: { cookie } })).status, 200, path)
    }
  })

  test('/login and /logout need none', async () => {
    const { username, password } = app.admin
    const { cookie } = await app.session(app.admin)
    const logout = await app.call('POST', '/logout', { headers: { cookie } })
    assert.equal(logout.status, 200)
    const call = { headers: { cookie }, form: { username, password } }
    assert.equal((await app.call('POST', '/login', call)).status, 200)
  })

  test('a caller with a bearer token or Basic needs none', async () => {
    for (const other of [await app.bearer(app.admin), app.basic(app.admin)]) {
      assert.equal((await app.call('POST', '/users', { headers: other, json })).status, 201)
    }
  })

  test('no session is 401, before the token is looked at', async () => {
    const answer = await app.call('POST', '/users', {
      headers: { cookie: 'JSESSIONID=nonsense', 'x-csrf-token': headers['x-csrf-token'] },
      json,
    })
    assertRefusal(answer, 401, 'Authentication required')
  })
})

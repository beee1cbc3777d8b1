import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { all, any, authenticated, owner, role, scope } from '../../src/core/policy/rules.ts'
import { addedRoutes } from '../added-routes.ts'
import { type Headers, passwordOf, testApp } from '../app.ts'
import { enrolled } from '../factor.ts'
import { headerOf, payloadOf } from '../forge.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'

const by = (token: string): Headers => ({ authorization: `Bearer ${token}` })

/** What a caller has shown, and when (RFC 8176, OpenID Connect Core 2), whatever it calls with. */
suite('a caller carries how it authenticated', async () => {
  const app = await testApp()
  const call = await addedRoutes(app, { '/caller': authenticated, '/scoped': scope('read') })
  const caller = async (headers: Headers) => {
    const { status, body } = await call('/caller', headers)
    assert.equal(status, 200)
    return body
  }
  const ann = await app.account('ann')
  const { who, device } = await enrolled(app, 'bea')
  const pwd = () => ({ roles: ['USER'], amr: ['pwd'], auth_time: app.clock.now() })
  const mfa = { roles: ['USER'], amr: ['pwd', 'otp', 'mfa'] }
  const login = async (mode: string) => {
    app.clock.advance(30) // a code is good once
    const { username, password } = who
    const answer = await app.call('POST', '/login', {
      json: { username, password, mode, totp: device.code() },
    })
    assert.equal(answer.status, 200)
    return answer
  }

  test('Basic: the password, now', async () => {
    assert.deepEqual(await caller(app.basic(ann)), pwd())
  })

  test('a session: what its login showed, at the time of the login', async () => {
    const expected = pwd()
    const session = await app.session(ann)
    app.clock.advance(60)
    assert.deepEqual(await caller(session), expected)
    const { cookies } = await login('session')
    const auth_time = app.clock.now()
    app.clock.advance(60)
    const cookie = `JSESSIONID=${cookies.JSESSIONID}`
    assert.deepEqual(await caller({ cookie }), { ...mfa, auth_time })
  })

  test('a session from before that was stored: that it is not known', async () => {
    const session = await app.session(ann)
    await app.deps.db.updateTable('sessions').set({ amr: '' }).execute()
    assert.deepEqual((await caller(session)).amr, [])
  })

  test('bearer: the same, in the claims amr and auth_time', async () => {
    const { body } = await login('token')
    const claims = payloadOf(body.token)
    assert.deepEqual(claims.amr, ['pwd', 'otp', 'mfa'])
    const auth_time = app.clock.now()
    assert.equal(claims.auth_time, auth_time / 1000)
    app.clock.advance(60)
    assert.deepEqual(await caller(by(body.token)), { ...mfa, auth_time })
    assert.deepEqual(await caller(await app.bearer(ann)), pwd())
  })

  test('a refreshed token keeps it: it stands in the signed header of the refresh token', async () => {
    const rotating = await testApp(
      { REFRESH_ROTATION: 'on' },
      { directory: app.directory, clock: app.clock },
    )
    const { body } = await login('pair')
    const auth_time = app.clock.now()
    const { amr } = headerOf(body.refresh_token)
    assert.deepEqual(amr, ['pwd', 'otp', 'mfa'])
    const five = ['iss', 'sub', 'type', 'iat', 'exp']
    assert.deepEqual(Object.keys(payloadOf(body.refresh_token)).sort(), five.sort())
    app.clock.advance(60)
    const { refresh_token } = body
    const first = (await rotating.call('POST', '/refresh', { json: { refresh_token } })).body
    assert.deepEqual(headerOf(first.refresh_token).amr, amr)
    const next = { json: { refresh_token: first.refresh_token } }
    const second = (await rotating.call('POST', '/refresh', next)).body
    for (const token of [body.access_token, first.access_token, second.access_token])
      assert.deepEqual(await caller(by(token)), { ...mfa, auth_time })
  })

  test('the token of an enrolment tells of the password alone', async () => {
    const strict = await testApp(
      { REQUIRE_SECOND_FACTOR: 'USER' },
      { directory: app.directory, clock: app.clock },
    )
    const json = { username: 'ann', password: passwordOf('ann') }
    const { body } = await strict.call('POST', '/login', { json })
    assert.deepEqual(payloadOf(body.enrolment_token).amr, ['pwd'])
  })

  test('who acts itself is asked for no scope', async () => {
    for (const headers of [app.basic(ann), await app.session(ann), await app.bearer(ann)])
      assert.equal((await call('/scoped', headers)).status, 200)
    const absent = await call('/scoped', {})
    assertRefusal(absent, 401, 'Authentication required')
    assert.equal(absent.headers['www-authenticate']?.toString().includes('scope'), false)
  })
})

/** Tokens of a provider: RFC 9068 section 2.2.3, RFC 8693 section 4.2, RFC 6750 section 3.1. */
suite('a token of a provider carries client and scopes', async () => {
  const idp = await identityProvider()
  const clock = clockOfToday()
  const app = await testApp(settingsFor(idp), { clock })
  const call = await addedRoutes(app, {
    '/caller': authenticated,
    '/read': scope('posts:read'),
    '/both': scope('posts:read', 'posts:write'),
    '/either': any(scope('posts:write'), scope('posts:read')),
    '/admin': all(role('ADMIN'), scope('admin')),
    '/thing': any(owner, scope('things')),
  })
  const token = (changes: object) => by(idp.signed(idp.claims({ ...changes })))
  const caller = async (changes: object) => (await call('/caller', token(changes))).body

  test('client_id, or else azp', async () => {
    assert.equal((await caller({})).client, 'app')
    assert.equal((await caller({ client_id: undefined, azp: 'other' })).client, 'other')
    assert.equal((await caller({ azp: 'other' })).client, 'app')
    for (const client_id of [1, '', ['app'], {}, '\0'])
      assert.equal((await caller({ client_id, azp: 'x' })).client, undefined)
  })

  test('scope, or else scp, as a text with single spaces or a list; anything else is none', async () => {
    const read: [claims: object, scopes: string[]][] = [
      [{}, []],
      [{ scope: 'posts:read' }, ['posts:read']],
      [{ scope: 'a b a' }, ['a', 'b']],
      [{ scp: 'a b' }, ['a', 'b']],
      [{ scp: ['a', 'b'] }, ['a', 'b']],
      [{ scope: 'a', scp: 'b' }, ['a']],
      [{ scope: null, scp: 'b' }, []],
      [{ scope: '', scp: 'b' }, []],
      ...['a  b', ' a', 'a ', 'a\tb', 'a\nb', 'a,b "c"', 'a\\', 'ä', 'a\u00a0b', 'a\0'].map(
        (scope): [object, string[]] => [{ scope }, []],
      ),
      ...[['a'], { a: true }, 1, true].map((scope): [object, string[]] => [{ scope }, []]),
      ...[['a', 1], ['a b'], [['a']], [''], [null], { 0: 'a' }].map((scp): [object, string[]] => [
        { scp },
        [],
      ]),
    ]
    for (const [claims, scopes] of read)
      assert.deepEqual((await caller(claims)).scopes, scopes, JSON.stringify(claims))
  })

  test('amr as the provider tells it, and fed where it does not', async () => {
    assert.deepEqual((await caller({ amr: ['pwd', 'hwk'] })).amr, ['pwd', 'hwk'])
    for (const amr of [undefined, 'mfa', [], ['mfa', 1], { 0: 'mfa' }, [['mfa']]])
      assert.deepEqual((await caller({ amr })).amr, ['fed'], JSON.stringify(amr))
  })

  test('a route that asks for scopes admits a token that has all of them', async () => {
    const admitted = { scope: 'posts:write posts:read' }
    for (const path of ['/read', '/both', '/either'])
      assert.equal((await call(path, token(admitted))).status, 200)
    for (const path of ['/read', '/either'])
      assert.equal((await call(path, token({ scope: 'posts:read' }))).status, 200)
  })

  test('without them: 403, and WWW-Authenticate tells which are asked for', async () => {
    const refused: [path: string, claims: object, scopes: string][] = [
      ['/read', {}, 'posts:read'],
      ['/read', { scope: 'posts:READ posts posts:read2' }, 'posts:read'],
      ['/both', { scope: 'posts:read' }, 'posts:read posts:write'],
      ['/either', { client_id: undefined }, 'posts:write posts:read'],
      ['/admin', { roles: ['ADMIN'] }, 'admin'],
      ['/thing', {}, 'things'],
    ]
    for (const [path, claims, scopes] of refused) {
      const answer = await call(path, token(claims))
      assertRefusal(answer, 403, 'Access denied', path)
      assert.equal(
        answer.headers['www-authenticate'],
        `Bearer realm="API", error="insufficient_scope", scope="${scopes}"`,
      )
    }
  })

  test('a token that lacks the role as well is told of no scope', async () => {
    for (const scope of ['admin', 'other']) {
      const answer = await call('/admin', token({ scope }))
      assertRefusal(answer, 403, 'Access denied')
      assert.equal(answer.headers['www-authenticate'], undefined)
    }
  })

  test('no route of the service asks for a scope: tokens without any are admitted as before', async () => {
    for (const { rule } of app.app.routes()) assert.doesNotMatch(rule, /scope/)
    assert.equal((await app.call('GET', '/users', { headers: token({}) })).status, 200)
    const denied = await app.call('GET', '/api/admin/accounts', { headers: token({}) })
    assertRefusal(denied, 403, 'Access denied')
    assert.equal(denied.headers['www-authenticate'], undefined)
  })

  test('linked to an account it has the same limits', async () => {
    const browser = testBrowser(app)
    await browser.open('/oauth/login')
    const linked = await caller({ sub: 'ann-1', scope: 'a' })
    assert.deepEqual([linked.client, linked.scopes], ['app', ['a']])
    const session = (await app.deps.db.selectFrom('sessions').select('amr').execute()).at(-1)
    assert.equal(session?.amr, 'fed', 'and the session of a sign-in tells of the provider')
  })
})

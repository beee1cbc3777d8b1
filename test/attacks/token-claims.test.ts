import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { connectTo, heard } from '../database.ts'
import {
  accessClaims,
  assertAccepted,
  assertRefused,
  forge,
  hs256,
  type Json,
  secondsOf,
} from '../forge.ts'

const secret = 'only the tests of tokens know 0f this one'
const sign = (payload: unknown, header: Json = {}) =>
  forge({ alg: 'HS256', typ: 'JWT', ...header }, payload, hs256(secret))

type Changes = Json | ((now: number) => Json)
const long = 'x'.repeat(5000)
const notTimes = [null, '9999999999', true, [9_999_999_999], { value: 1 }, -1, 'NaN', '']

/** Each is signed with the right key and wrong in one claim. */
const refused: Record<string, readonly Changes[]> = {
  'T09: exp': [
    { exp: undefined },
    (now) => ({ exp: now }),
    (now) => ({ exp: now - 1 }),
    (now) => ({ exp: now - 0.001 }),
    (now) => ({ exp: String(now + 600) }),
    { exp: 0 },
    { exp: -0 },
    ...notTimes.map((exp) => ({ exp })),
  ],
  'T10: nbf': [
    (now) => ({ nbf: now + 6 }),
    (now) => ({ nbf: now + 120 }),
    (now) => ({ nbf: String(now) }),
    ...notTimes.map((nbf) => ({ nbf })),
  ],
  'T10: iat': [
    { iat: undefined },
    (now) => ({ iat: now + 6 }),
    (now) => ({ iat: now + 86_400, nbf: now, exp: now + 90_000 }),
    (now) => ({ iat: String(now) }),
    ...notTimes.map((iat) => ({ iat })),
  ],
  'T11: iss': [
    { iss: undefined },
    { iss: null },
    { iss: '' },
    { iss: ['http://evil.example', 'http://127.0.0.1:3000'] },
    { iss: ['http://127.0.0.1:3000'] },
    { iss: { 0: 'http://127.0.0.1:3000' } },
    { iss: 'http://127.0.0.1:3000/' },
    { iss: 'HTTP://127.0.0.1:3000' },
    { iss: 'http://127.0.0.1:300' },
    { iss: 'http://127.0.0.1' },
    { iss: 'http://127.0.0.1:3000.evil.example' },
    { iss: ' http://127.0.0.1:3000' },
    { iss: 'http://127.0.0.1:3000\0' },
  ],
  'T12: type': [
    { type: undefined },
    { type: null },
    { type: 'refresh' },
    { type: ['access'] },
    { type: 'Access' },
    { type: 'access ' },
    { type: 'id' },
    { type: true },
  ],
  'T13: aud': [
    { aud: undefined },
    { aud: null },
    { aud: '' },
    { aud: 'another-api' },
    { aud: 'API' },
    { aud: 'api ' },
    { aud: 'ap' },
    { aud: [] },
    { aud: ['another'] },
    { aud: [['api']] },
    { aud: { 0: 'api' } },
    { aud: true },
  ],
  'T14: roles': [
    { roles: 'ADMIN' },
    { roles: 'SUPERADMIN' },
    { roles: { 0: 'ADMIN' } },
    { roles: ['admin'] },
    { roles: ['USER', 'ADMIN,EDITOR'] },
    { roles: ['ROLE_ROLE_ADMIN'] },
    { roles: ['role_ADMIN'] },
    { roles: [['ADMIN']] },
    { roles: [null, 'ADMIN'] },
    { roles: [{ authority: 'ADMIN' }] },
    { roles: true },
  ],
  'T15: sub': [
    { sub: undefined },
    { sub: null },
    { sub: 1 },
    { sub: '' },
    { sub: long },
    { sub: '1'.repeat(5000) },
    { sub: '1\0' },
    { sub: ' 1' },
    { sub: '1\n' },
    { sub: '01' },
    { sub: '0' },
    { sub: '-1' },
    { sub: '1.0' },
    { sub: '1e0' },
    { sub: '0x1' },
    { sub: ['1'] },
    { sub: { id: '1' } },
    { sub: '\u0661' },
  ],
  'T15: jti': [{ jti: ['a'] }, { jti: {} }, { jti: 1 }, { jti: null }],
  'T15: username': [{ username: ['admin'] }, { username: null }, { username: 1 }],
  'T15: ver': [{ ver: '1' }, { ver: null }, { ver: [1] }],
  'T15: auth_time': [{ auth_time: 'now' }, { auth_time: null }, { auth_time: -1 }],
}

suite('claims of access tokens', async () => {
  const app = await testApp({ TOKEN_SECRET: secret })
  const token = (changes: Json = {}) => sign(accessClaims(app, changes))

  let before: Record<string, unknown[]>
  beforeEach(async () => {
    before = await app.rows()
  })
  afterEach(async () => assert.deepEqual(await app.rows(), before))

  for (const [name, variants] of Object.entries(refused)) {
    test(`${name} in another form than ours is 401`, async () => {
      await assertAccepted(app, token(), 'as it should be')
      for (const variant of variants) {
        const changes = typeof variant === 'function' ? variant(secondsOf(app)) : variant
        const what = JSON.stringify(changes, (_, value) => value ?? String(value)).slice(0, 100)
        await assertRefused(app, token(changes), what)
      }
    })
  }

  test('T09: an exp that no number can hold is 401', async () => {
    for (const exp of ['1e400', '1e999999', '-1e400']) {
      const text = JSON.stringify(accessClaims(app, { exp: 1 })).replace('"exp":1', `"exp":${exp}`)
      assert.match(text, /"exp":-?1e/)
      await assertRefused(app, sign(text), exp)
    }
  })

  test('T13, T15: what RFC 7519 allows is accepted', async () => {
    const allowed: Json[] = [
      { aud: ['api'] },
      { aud: ['another', 'api'] },
      { nbf: undefined },
      { nbf: secondsOf(app) + 5 },
      { iat: secondsOf(app) + 5 },
      { jti: undefined },
      { jti: long },
      { tenant_id: 'a', permissions: ['b'] },
    ]
    for (const changes of allowed) {
      await assertAccepted(app, token(changes), JSON.stringify(changes).slice(0, 100))
    }
  })

  test('T14: only the name ADMIN, alone or behind ROLE_, opens what is for ADMIN', async () => {
    const roles: [roles: unknown, status: number][] = [
      [undefined, 403],
      [null, 403],
      [[], 403],
      [['USER', 'EDITOR'], 403],
      [['SUPERADMIN'], 403], // a name that ROLES may have lost gives nothing
      [['ADMIN'], 200],
      [['ROLE_ADMIN'], 200],
      [['ADMIN', 'ADMIN', 'ROLE_ADMIN'], 200],
      ...(refused['T14: roles'] ?? []).map((variant): [unknown, number] => [
        (variant as Json).roles, // the table has no function there
        401,
      ]),
    ]
    for (const [value, status] of roles) {
      const headers = { authorization: `Bearer ${token({ roles: value })}` }
      const answer = await app.call('GET', '/api/admin/accounts', { headers })
      assert.equal(answer.status, status, JSON.stringify(value))
      if (status === 403) assert.deepEqual(answer.body, { error: 'Access denied' })
      if (status === 401) assert.deepEqual(answer.body, { error: 'Invalid or expired token' })
    }
  })

  test('T09: a token ends at exp to the second, also when it was verified before', async () => {
    const kept = token()
    const fresh = token({ jti: 'not seen before its end' })
    await assertAccepted(app, kept, 'at first')
    app.clock.advance(599)
    await assertAccepted(app, kept, 'a second before')
    app.clock.advance(1)
    await assertRefused(app, kept, 'at exp, kept')
    await assertRefused(app, kept, 'and again')
    await assertRefused(app, fresh, 'at exp, not kept')
  })

  test('T10: nbf and iat have a tolerance of 5 s, also when the clock goes back', async () => {
    const early = token({ nbf: secondsOf(app) + 65 })
    await assertRefused(app, early, 'a minute early')
    app.clock.advance(59)
    await assertRefused(app, early, '6 s early')
    app.clock.advance(1)
    await assertAccepted(app, early, '5 s early')
    app.clock.advance(-1)
    await assertRefused(app, early, 'kept, and 6 s early again')
    app.clock.advance(1)
    await assertAccepted(app, early, 'once more')
  })

  test('spec 4.1: /api/me takes sub, email, name and roles from the claims', async () => {
    const claims = { email: 'claimed@example.org', name: 'Claimed Name', roles: ['EDITOR'] }
    const headers = { authorization: `Bearer ${token(claims)}` }
    const answer = await app.call('GET', '/api/me', { headers })
    assert.deepEqual([answer.status, answer.body], [200, { sub: '1', ...claims }])
  })

  test('an email or name claim that is no text is never shown as one', async () => {
    for (const claims of [
      { email: ['a'], name: {} },
      { email: 1, name: true },
    ]) {
      const headers = { authorization: `Bearer ${token(claims)}` }
      const answer = await app.call('GET', '/api/me', { headers })
      if (answer.status === 401) continue
      const { email, name } = answer.body
      assert.deepEqual([email, name], ['administrator@example.invalid', 'Administrator'])
    }
  })

  test('a token of a user who is not there has neither email nor name', async () => {
    const headers = { authorization: `Bearer ${token({ sub: '9007199254740993' })}` }
    const answer = await app.call('GET', '/api/me', { headers })
    assert.deepEqual([answer.body.email, answer.body.name], [null, null])
  })

  test('what a token is not sent in is not looked at', async () => {
    const good = token()
    const query = await app.call('GET', `/api/me?access_token=${good}`)
    const cookie = await app.call('GET', '/api/me', { headers: { cookie: `access_token=${good}` } })
    const form = await app.call('GET', '/api/me', { form: { access_token: good } })
    const none = await app.call('GET', '/api/me')
    const schemes = [
      'Bearer',
      'Bearer ',
      'Bearer    ',
      `Token ${good}`,
      `Bearer\t${good}`,
      good,
      '',
    ]
    const others = await Promise.all(
      [...schemes, app.basic(app.admin).authorization ?? ''].map((authorization) =>
        app.call('GET', '/api/me', { headers: { authorization } }),
      ),
    )
    for (const answer of [query, cookie, form, none, ...others]) {
      assert.deepEqual([answer.status, answer.body], [401, { error: 'No token provided' }])
      // No error code where no token came: RFC 6750 section 3.1.
      assert.equal(String(answer.headers['www-authenticate']), 'Bearer realm="API"')
    }
    for (const authorization of [`bearer ${good}`, `BEARER ${good}`, `bEaReR   ${good}`]) {
      const answer = await app.call('GET', '/api/me', { headers: { authorization } })
      assert.equal(answer.status, 200, authorization)
    }
    const filter = await app.call('GET', `/users?access_token=${good}`)
    assert.deepEqual([filter.status, filter.body], [401, { error: 'Authentication required' }])
    assert.deepEqual(filter.headers['www-authenticate'], [
      'Basic realm="API", charset="UTF-8"',
      'Bearer realm="API"',
    ])
  })
})

suite('kept profiles', async () => {
  test('a name that was changed, here or by another process that was heard of, is seen at the next request', async () => {
    const app = await testApp({ TOKEN_SECRET: secret })
    const headers = { authorization: `Bearer ${sign(accessClaims(app))}` }
    const me = async () => (await app.call('GET', '/api/me', { headers })).body.name
    assert.equal(await me(), 'Administrator')
    const { db } = await connectTo({ directory: app.directory })
    await db.updateTable('users').set({ name: 'Ann' }).where('id', '=', 1).execute()
    await db.destroy()
    await heard(app)
    assert.equal(await me(), 'Ann')
    const admin = app.basic(app.admin)
    await app.call('PUT', '/users/1', { headers: admin, json: { name: 'Ann again' } })
    assert.equal(await me(), 'Ann again')
  })
})

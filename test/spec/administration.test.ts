import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '../../src/core/policy/principal.ts'
import { type Headers, passwordOf, testApp } from '../app.ts'
import { enrolled } from '../factor.ts'
import { doors, guess } from '../logins.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'

const account = (username: string, rest = '') => `/api/admin/accounts/${username}${rest}`

suite('administration of logins', async () => {
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '0' })
  const headers = await app.session(app.admin)
  let made = 0
  const newAccount = (roles: readonly Role[] = ['USER'], more = {}) =>
    app.account(`person${made++}`, roles, more)
  const call = (method: string, path: string, json?: unknown) =>
    app.call(method, path, { headers, ...(json !== undefined && { json }) })
  const login = (json: object) => app.call('POST', '/login', { json })
  const isIn = async (proof: Headers) =>
    (await app.call('GET', '/api/account', { headers: proof })).status === 200

  test('POST /accounts/{username}/password: 200, a password of one use', async () => {
    const who = await newAccount()
    const { username } = who
    const proofs = [await app.session(who), await app.bearer(who), app.basic(who)]
    const { refresh_token } = await app.pair(who)
    const answer = await call('POST', account(username.toUpperCase(), '/password'))
    assert.equal(answer.status, 200)
    assertHeaders(answer) // no-store among them
    const { password } = answer.body
    assert.deepEqual(answer.body, { username, password })
    assert.match(password, /^[a-z2-9]{4}(-[a-z2-9]{4}){4}$/)
    for (const proof of proofs) assert.equal(await isIn(proof), false)
    const refreshed = await app.call('POST', '/refresh', { json: { refresh_token } })
    assertRefusal(refreshed, 401, 'Invalid refresh token')
    assertRefusal(await login(who), 401, 'Invalid credentials')

    assertRefusal(await login({ username, password }), 403, 'Password change required')
    assertRefusal(
      await login({ username, password, new_password: password }),
      400,
      'Validation failed',
      '',
      { details: [{ path: ['new_password'], message: 'must differ from the present one' }] },
    )
    const new_password = 'a phrase of my own choice'
    assert.equal((await login({ username, password, new_password })).status, 200)
    assertRefusal(await login({ username, password }), 401, 'Invalid credentials')
    assert.equal((await login({ username, password: new_password })).status, 200)
    assert.ok(!JSON.stringify(app.log).includes(password))
  })

  test('6.4.3: a reset keeps the second factor and the flags', async () => {
    const { who, device } = await enrolled(app, 'factored')
    const { username } = who
    await call('PUT', account(username), { locked: true })
    const before = await call('GET', account(username))
    const { password } = (await call('POST', account(username, '/password'))).body
    assert.deepEqual((await call('GET', account(username))).body, before.body)
    const json = { username, password, new_password: 'a phrase of my own choice' }
    assertRefusal(await login(json), 401, 'Invalid credentials', 'locked as before')
    await call('PUT', account(username), { locked: false })
    assertRefusal(await login(json), 401, 'Second factor required', '', { second_factor: 'totp' })
    assert.equal((await login({ ...json, totp: device.code() })).status, 200)
  })

  test('an administrator resets no password of the own account: 403', async () => {
    const before = await app.rows()
    assertRefusal(await call('POST', account('admin', '/password')), 403, 'Access denied')
    assert.deepEqual(await app.rows(), before)
  })

  test('7.5.1: a password is set within REAUTHENTICATE_SECONDS of the login, else 401', async () => {
    const app = await testApp()
    const { username } = await app.account('ann')
    const [session, bearer] = [await app.session(app.admin), await app.bearer(app.admin)]
    const json = { password: 'a phrase of nobody in particular' }
    const before = await app.rows()
    app.clock.advance(900.001)
    for (const proof of [session, bearer]) {
      const late = await app.call('POST', account(username, '/password'), { headers: proof })
      assertRefusal(late, 401, 'Recent login required')
      const set = await app.call('PUT', account(username), { headers: proof, json })
      assertRefusal(set, 401, 'Recent login required')
    }
    assert.deepEqual(await app.rows(), before)
    const locked = await app.call('PUT', account(username), {
      headers: session,
      json: { locked: true },
    })
    assert.equal(locked.status, 200)
  })

  test('7.5.1: an administrator is made within REAUTHENTICATE_SECONDS of the login, else 401', async () => {
    const app = await testApp()
    const { username } = await app.account('ann')
    const [session, bearer] = [await app.session(app.admin), await app.bearer(app.admin)]
    const person = { password: passwordOf('eve'), name: 'Eve', email: 'eve@example.org' }
    const made = (roles: string[], name = 'eve') => ({ ...person, username: name, roles })
    const lines = (roles: string[]) => `${JSON.stringify(made(roles, 'line'))}\n`
    const importing = (headers: object, roles: string[]) =>
      app.call('POST', '/api/admin/import/accounts', {
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
        body: lines(['USER']).replaceAll('line', 'other') + lines(roles),
      })
    app.clock.advance(900.001)
    const before = await app.rows()
    for (const headers of [session, bearer]) {
      for (const roles of [['ADMIN'], ['USER', 'ROLE_ADMIN']]) {
        const answers = [
          await app.call('POST', '/api/admin/accounts', { headers, json: made(roles) }),
          await app.call('PUT', account(username), { headers, json: { roles } }),
          await app.call('PUT', account(username), { headers, json: { roles, locked: true } }),
          await importing(headers, roles),
        ]
        for (const answer of answers) assertRefusal(answer, 401, 'Recent login required')
      }
      assert.deepEqual(await app.rows(), before)
    }
    for (const shut of [{ active: false }, { locked: true }]) {
      const call = (headers: Headers, json: object) =>
        app.call('PUT', account('second'), { headers, json })
      const basic = app.basic(app.admin)
      const json = made(['ADMIN'], 'second')
      await app.call('POST', '/api/admin/accounts', { headers: basic, json })
      assert.equal((await call(basic, shut)).status, 200)
      const again = await call(session, { active: true, locked: false })
      assertRefusal(again, 401, 'Recent login required')
      await app.call('DELETE', account('second'), { headers: basic })
    }
    const less = { headers: session, json: made(['USER', 'EDITOR']) }
    assert.equal((await app.call('POST', '/api/admin/accounts', less)).status, 201)
    const own = { headers: session, json: { roles: ['ADMIN', 'USER'] } }
    assert.equal((await app.call('PUT', account('admin'), own)).status, 200, 'is one already')
    for (const headers of [app.basic(app.admin), await app.session(app.admin)]) {
      const json = { roles: ['ADMIN'] }
      assert.equal((await app.call('PUT', account(username), { headers, json })).status, 200)
      await app.call('PUT', account(username), { headers, json: { roles: ['USER'] } })
    }
    assert.equal((await importing(app.basic(app.admin), ['ADMIN'])).status, 200)
  })

  test("GET /accounts/{username}/sessions: 200, in the shape of one's own", async () => {
    const who = await newAccount()
    const mine = await app.session(who)
    const own = await app.call('GET', '/api/account/sessions', { headers: mine })
    const { status, body } = await call('GET', account(who.username, '/sessions'))
    assert.equal(status, 200)
    assert.deepEqual(
      body,
      own.body.map((session: object) => ({ ...session, current: false })),
    )
    assert.equal(body.length, 1)
    const [admins] = (await call('GET', account('admin', '/sessions'))).body
    assert.equal(admins.current, true)
  })

  test('DELETE /accounts/{username}/sessions ends all sessions and tokens: 200, a message', async () => {
    const who = await newAccount()
    const proofs = [await app.session(who), await app.session(who), await app.bearer(who)]
    const { refresh_token } = await app.pair(who)
    const answer = await call('DELETE', account(who.username, '/sessions'))
    assert.deepEqual(
      [answer.status, answer.body],
      [200, { message: 'All sessions and all tokens ended' }],
    )
    for (const proof of proofs) assert.equal(await isIn(proof), false)
    const refreshed = await app.call('POST', '/refresh', { json: { refresh_token } })
    assertRefusal(refreshed, 401, 'Invalid refresh token')
    assert.equal((await login(who)).status, 200)
    // One's own: but the session that asks.
    const other = await app.session(app.admin)
    assert.equal((await call('DELETE', account('admin', '/sessions'))).status, 200)
    assert.equal(await isIn(other), false)
    assert.equal(await isIn(headers), true)
  })

  test('no such account: 404 "Account not found"', async () => {
    for (const [method, rest] of [
      ['POST', '/password'],
      ['GET', '/sessions'],
      ['DELETE', '/sessions'],
    ] as const) {
      for (const name of ['nobody', 'a:b', '%00']) {
        assertRefusal(await call(method, account(name, rest)), 404, 'Account not found', method)
      }
    }
  })

  test('POST /tokens/revoke {token} ends an access token or a refresh token: 200', async () => {
    const who = await newAccount()
    const [one, other] = [await app.pair(who), await app.pair(who)]
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    const refresh = (refresh_token: string) =>
      app.call('POST', '/refresh', { form: { refresh_token } })
    for (const token of [one.access_token, one.refresh_token]) {
      const answer = await call('POST', '/api/admin/tokens/revoke', { token })
      assert.deepEqual([answer.status, answer.body], [200, { message: 'Token revoked' }])
    }
    assert.equal(await isIn(bearer(one.access_token)), false)
    assertRefusal(await refresh(one.refresh_token), 401, 'Invalid refresh token')
    assert.equal(await isIn(bearer(other.access_token)), true)
    assert.equal((await refresh(other.refresh_token)).status, 200)
  })

  test('POST /tokens/revoke {jti, exp} ends the access token of that id: 200', async () => {
    const token = await app.token(await newAccount())
    const [, payload = ''] = token.split('.')
    const { jti, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString())
    const proof = { authorization: `Bearer ${token}` }
    assert.equal(await isIn(proof), true)
    const answer = await call('POST', '/api/admin/tokens/revoke', { jti, exp })
    assert.deepEqual([answer.status, answer.body], [200, { message: 'Token revoked' }])
    assert.equal(await isIn(proof), false)
  })

  const either = 'is required, unless jti and exp are given'
  const alone = 'stands alone: leave out jti and exp'
  for (const [json, path, message] of [
    [{}, 'token', either],
    [{ jti: 'x' }, 'token', either],
    [{ exp: 1 }, 'token', either],
    [{ token: 'x', jti: 'x', exp: 1 }, 'token', alone],
    [{ token: 5 }, 'token', 'must be string'],
    [{ jti: '', exp: 1 }, 'jti', 'must NOT have fewer than 1 characters'],
    [{ jti: 'x'.repeat(129), exp: 1 }, 'jti', 'must NOT have more than 128 characters'],
    [{ jti: 'pair x', exp: 1 }, 'jti', 'must match pattern "^(?!pair |refresh )"'],
    [{ jti: 'refresh x', exp: 1 }, 'jti', 'must match pattern "^(?!pair |refresh )"'],
    [{ jti: 'x', exp: 1.5 }, 'exp', 'must be integer'],
    [{ jti: 'x', exp: -1 }, 'exp', 'must be >= 0'],
    [{ jti: 'x', exp: 2 ** 53 }, 'exp', 'must be <= 9007199254740991'],
  ] as const) {
    const about = JSON.stringify(json).slice(0, 40)
    test(`POST /tokens/revoke ${about}: 400 with details, and nothing stored`, async () => {
      const before = await app.rows()
      const answer = await call('POST', '/api/admin/tokens/revoke', json)
      assertRefusal(answer, 400, 'Validation failed', '', { details: [{ path: [path], message }] })
      assert.deepEqual(await app.rows(), before)
    })
  }
})

suite('the throttle, for an administrator', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const throttle = async (query = '') => {
    const { status, body } = await app.call('GET', `/api/admin/throttle${query}`, { headers })
    assert.equal(status, 200)
    return body
  }
  const clear = (username: string) =>
    app.call('DELETE', `/api/admin/throttle/${encodeURIComponent(username)}`, { headers })
  const nothing = { total: 0, data: [] }

  test('GET: nothing is counted, no account is locked', async () => {
    assert.deepEqual(await throttle(), { page: 1, limit: 10, accounts: nothing, counts: nothing })
  })

  test('GET: the tries of names and addresses; those of unknown names without the name', async () => {
    await app.account('ann')
    const start = app.clock.now()
    for (let tries = 0; tries < 5; tries += 1) {
      await guess(app, { username: 'Ann' }, '192.0.2.1')
      app.clock.advance(1)
    }
    await guess(app, { username: 'typed: a secret' }, '2001:db8::1')
    await guess(app, { username: 'nobody' }, '2001:db8::1')
    const row = { username: null, pending: 0, blocked_until: null }
    const until = new Date(start + 900_000).toISOString()
    assert.deepEqual(await throttle(), {
      page: 1,
      limit: 10,
      accounts: { total: 1, data: [{ username: 'ann', failures: 5, locked_until: null }] },
      counts: {
        total: 5,
        data: [
          // One attempt with a text that is no username, one with the name of no account.
          { ...row, count: 'address', address: '2001:db8:0:0::/64', used: 2, attempts: 20 },
          { ...row, count: 'login', address: '2001:db8:0:0::/64', used: 1, attempts: 5 },
          { ...row, count: 'login', address: '2001:db8:0:0::/64', used: 1, attempts: 5 },
          { ...row, count: 'address', address: '192.0.2.1', used: 5, attempts: 20 },
          {
            ...row,
            count: 'login',
            username: 'ann',
            address: '192.0.2.1',
            used: 5,
            attempts: 5,
            blocked_until: until,
          },
        ],
      },
    })
  })

  test('GET: a page of both lists', async () => {
    const { page, limit, accounts, counts } = await throttle('?page=2&limit=3')
    assert.deepEqual([page, limit, accounts.total, accounts.data], [2, 3, 1, []])
    assert.deepEqual([counts.total, counts.data.length], [5, 2])
    assert.equal((await throttle('?limit=100000')).limit, 100)
  })

  test('DELETE /{username} forgets its tries at every address: 200; others stay', async () => {
    await guess(app, { username: 'ann' }, '192.0.2.2')
    const before = (await throttle()).counts.total
    for (const name of ['ANN', 'nobody']) {
      const answer = await clear(name)
      assert.deepEqual([answer.status, answer.body], [200, { message: 'Failed tries forgotten' }])
    }
    const { accounts, counts } = await throttle()
    assert.deepEqual(accounts, nothing)
    assert.equal(before - counts.total, 3)
    const [unnamed, ...others] = counts.data.filter(
      ({ count }: { count: string }) => count === 'login',
    )
    assert.deepEqual([unnamed?.username, unnamed?.address], [null, '2001:db8:0:0::/64'])
    assert.deepEqual(others, [])
    const ann = { username: 'ann', password: (await app.account('ann2')).password }
    assert.equal((await guess(app, ann, '192.0.2.1')).status, 401, 'no longer 429')
  })

  test('the automatic lock shows here and not in the account, and DELETE lifts it', async () => {
    const bob = await app.account('bob')
    for (let tries = 0; tries < 10; tries += 1) await guess(app, bob, `192.0.2.1${tries}`)
    const { accounts } = await throttle()
    const locked_until = new Date(app.clock.now() + 1_800_000).toISOString()
    assert.deepEqual(accounts.data[0], { username: 'bob', failures: 0, locked_until })
    const shown = await app.call('GET', '/api/admin/accounts/bob', { headers })
    assert.equal(shown.body.locked, false)
    const login = () => app.call('POST', '/login', { json: bob })
    assertRefusal(await login(), 401, 'Invalid credentials')
    assert.equal((await clear('bob')).status, 200)
    assert.equal((await login()).status, 200)
  })

  test("DELETE does not lift an administrator's lock", async () => {
    const eve = await app.account('eve')
    const json = { locked: true }
    await app.call('PUT', '/api/admin/accounts/eve', { headers, json })
    await clear('eve')
    assertRefusal(await app.call('POST', '/login', { json: eve }), 401, 'Invalid credentials')
  })

  test('wrong codes show by the name of their account, and DELETE forgets them', async () => {
    const { who, device } = await enrolled(app, 'cleo')
    const login = (totp: string) =>
      app.call('POST', '/login', {
        json: { username: who.username, password: who.password, totp },
      })
    const from = app.clock.now()
    for (let tries = 0; tries < 5; tries += 1) {
      await login('000000')
      if (tries === 3) await clear('cleo') // the place of the password, too: five of either
    }
    const row = (await throttle()).counts.data.find(
      ({ count }: { count: string }) => count === 'second_factor',
    )
    assert.deepEqual(row, {
      ...{ count: 'second_factor', username: 'cleo', address: null },
      ...{ used: 1, pending: 0, attempts: 5, blocked_until: null },
    })
    for (let tries = 0; tries < 4; tries += 1) await login('000000')
    const { counts } = await throttle()
    const full = counts.data.find(({ count }: { count: string }) => count === 'second_factor')
    assert.equal(full.blocked_until, new Date(from + 900_000).toISOString())
    assertRefusal(await login(device.code()), 429, 'Too many login attempts')
    await clear('cleo')
    assert.equal((await login(device.code())).status, 200)
  })

  test('DELETE /addresses/{address} opens an address that wrong passwords have closed', async () => {
    const fay = await app.account('fay')
    const clearAddress = (address: string) => {
      const path = `/api/admin/throttle/addresses/${encodeURIComponent(address)}`
      return app.call('DELETE', path, { headers })
    }
    const close = async (from: string) => {
      for (let tries = 0; tries < 20; tries += 1) {
        const { status } = await guess(app, { username: `guess${tries % 7}` }, from)
        assert.equal(status, 401)
      }
      assertRefusal(await doors.JSON(app, fay, { from }), 429, 'Too many login attempts')
    }
    for (const [from, spelling, address] of [
      ['192.0.2.77', '192.0.2.77', '192.0.2.77'],
      ['192.0.2.78', '::ffff:192.0.2.78', '192.0.2.78'],
      ['2001:db8:5:0::1', '2001:db8:5:0::/64', '2001:db8:5:0::/64'],
      ['2001:db8:5:0:1::1', '2001:DB8:5::9', '2001:db8:5:0::/64'],
    ] as const) {
      await close(from)
      await close('2001:db8:6::1')
      const cleared = await clearAddress(spelling)
      const message = 'Failed tries forgotten'
      const body = { message, address, logins: 20, clients: 0, usernames: 0, passkeys: 0 }
      assert.deepEqual([cleared.status, cleared.body], [200, body])
      assert.equal((await doors.JSON(app, fay, { from })).status, 200)
      const other = await doors.JSON(app, fay, { from: '2001:db8:6::1' })
      assertRefusal(other, 429, 'Too many login attempts')
      assert.deepEqual((await clearAddress(spelling)).body, { ...body, logins: 0 })
      await clearAddress('2001:db8:6::1')
      for (let name = 0; name < 7; name += 1) await clear(`guess${name}`)
    }
  })

  test('DELETE /addresses/{address} leaves the limits of names, and attempts under way', async () => {
    const address = '192.0.2.79'
    const gus = await app.account('gus')
    for (let tries = 0; tries < 5; tries += 1) await guess(app, gus, address)
    const { db } = app.deps
    const now = app.clock.now()
    const pending = {
      username: '',
      address,
      taken_at: now,
      pending: 1,
      expires_at: now + 1000,
    } as const
    await db.insertInto('throttle_places').values(pending).execute()
    const path = `/api/admin/throttle/addresses/${address}`
    const { status, body } = await app.call('DELETE', path, { headers })
    assert.deepEqual([status, body.logins], [200, 5])
    const left = await db
      .selectFrom('throttle_places')
      .select(['username', 'pending'])
      .where('address', '=', address)
      .execute()
    assert.deepEqual(
      left.filter(({ username }) => username === '').map((row) => row.pending),
      [1],
    )
    assertRefusal(await doors.JSON(app, gus, { from: address }), 429, 'Too many login attempts')
    await clear('gus')
    assert.equal((await doors.JSON(app, gus, { from: address })).status, 200)
  })

  for (const address of [
    'nowhere',
    '192.0.2.1/24',
    '2001:db8::/48',
    '192.0.2.1/64',
    '300.1.1.1',
    ' ',
  ]) {
    test(`DELETE /addresses/${address}: 400, and nothing changed`, async () => {
      const before = await app.rows('refusals')
      const path = `/api/admin/throttle/addresses/${encodeURIComponent(address)}`
      const answer = await app.call('DELETE', path, { headers })
      const message = 'must be an IPv4 or IPv6 address, or an IPv6 network of /64'
      assert.deepEqual(
        [answer.status, answer.body],
        [400, { error: 'Validation failed', details: [{ path: ['address'], message }] }],
      )
      assert.deepEqual(await app.rows('refusals'), before)
    })
  }

  test('an invalid name: 200 as well, and nothing changed', async () => {
    const before = await app.rows()
    for (const name of ['a:b', 'x'.repeat(300), '\u0000']) {
      assert.equal((await clear(name)).status, 200)
    }
    assert.deepEqual(await app.rows(), before)
  })
})

suite('GET /api/admin/statistics', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '2', LOGIN_IP_ATTEMPTS: '3' })
  const headers = await app.bearer(app.admin)

  test('counts of everything', async () => {
    const started = app.clock.now()
    await app.account('ann')
    await app.account('ben', ['USER', 'EDITOR'])
    await app.account('must', [], { must_change: true })
    await app.call('POST', '/users', { headers, json: { name: 'A', email: 'a@example.org' } })
    await app.call('POST', '/api/posts', { headers, json: { title: 'A post' } })
    await app.call('PUT', '/api/admin/accounts/ben', { headers, json: { locked: true } })
    await app.call('PUT', '/api/admin/accounts/must', { headers, json: { active: false } })
    const { who } = await enrolled(app, 'cleo') // with a session
    await app.session(app.admin)
    for (const from of ['192.0.2.1', '192.0.2.2', '192.0.2.2']) await guess(app, who, from)
    await guess(app, { username: 'nobody' }, '192.0.2.2')
    app.clock.advance(60.5)
    const { status, body } = await app.call('GET', '/api/admin/statistics', { headers })
    assert.equal(status, 200)
    const { version } = (await import('../../package.json', { with: { type: 'json' } })).default
    assert.deepEqual(body, {
      version,
      started_at: new Date(started).toISOString(),
      uptime_seconds: 90,
      users: 6,
      accounts: {
        total: 5,
        by_role: { USER: 4, EDITOR: 2, ADMIN: 1 },
        ...{ locked: 1, disabled: 1, second_factor: 1, must_change: 1 },
      },
      posts: 1,
      sessions: 2,
      blocked: { logins: 1, addresses: 1, accounts: 0 },
    })
    app.clock.advance(1800)
    const later = await app.call('GET', '/api/admin/statistics', { headers })
    assert.deepEqual(
      [later.body.sessions, later.body.blocked],
      [0, { logins: 0, addresses: 1, accounts: 0 }],
    )
  })
})

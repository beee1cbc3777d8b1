import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { enrol, enrolled } from '../factor.ts'
import { assertRefusal } from '../refusal.ts'

const prefixes = ['/api/account', '/api/user/account'] as const
const newPassword = 'a quieter melon rolls'

for (const prefix of prefixes) {
  suite(`one's own account at ${prefix}`, async () => {
    const app = await testApp()
    const ann = await app.account('ann')
    const session = await app.session(ann)
    const every: Record<string, Headers> = {
      basic: app.basic(ann),
      session,
      bearer: await app.bearer(ann),
    }

    for (const [scheme, headers] of Object.entries(every)) {
      test(`GET by ${scheme}: 200, the account and its user`, async () => {
        const { status, body } = await app.call('GET', prefix, { headers })
        assert.equal(status, 200)
        assert.deepEqual(body, {
          username: 'ann',
          roles: ['USER'],
          second_factor: false,
          user: { id: ann.userId, name: 'ann', email: 'someone@example.org' },
          created_at: new Date(app.clock.now()).toISOString(),
        })
      })
    }

    test('GET /sessions: the live ones, the newest first, and which one asks', async () => {
      const made = app.clock.now()
      app.clock.advance(60)
      const login = await app.call('POST', '/login', {
        form: { username: 'ann', password: ann.password, mode: 'session' },
        headers: { 'user-agent': 'Browser/1 "quoted"' },
        from: '192.0.2.7',
      })
      app.clock.advance(60)
      const { status, body } = await app.call('GET', `${prefix}/sessions`, { headers: session })
      assert.equal(status, 200)
      const at = (milliseconds: number) => new Date(milliseconds).toISOString()
      const [newer, older, ...others] = body
      assert.deepEqual(others, [])
      assert.deepEqual(
        { ...newer, id: '' },
        {
          id: '',
          current: false,
          created_at: at(made + 60_000),
          last_seen_at: at(made + 60_000),
          address: '192.0.2.7',
          user_agent: 'Browser/1 "quoted"',
        },
      )
      // Its activity is not written down yet, and shows all the same.
      assert.equal(older.current, true)
      assert.deepEqual([older.created_at, older.last_seen_at], [at(made), at(made + 120_000)])
      assert.ok(login.cookies.JSESSIONID)
      const again = await app.call('GET', `${prefix}/sessions`, { headers: every.bearer })
      assert.deepEqual(
        again.body.map(({ id, current }: { id: string; current: boolean }) => [id, current]),
        [
          [newer.id, false],
          [older.id, false],
        ],
      )
    })

    test('DELETE /sessions/{id} ends that one alone: 200, a message', async () => {
      const listed = await app.call('GET', `${prefix}/sessions`, { headers: session })
      const { id } = listed.body.find(({ current }: { current: boolean }) => !current)
      const answer = await app.call('DELETE', `${prefix}/sessions/${id}`, { headers: session })
      assert.deepEqual([answer.status, answer.body], [200, { message: 'Session ended' }])
      assert.equal(answer.headers['set-cookie'], undefined)
      const left = await app.call('GET', `${prefix}/sessions`, { headers: session })
      assert.deepEqual(
        left.body.map(({ current }: { current: boolean }) => current),
        [true],
      )
      const again = await app.call('DELETE', `${prefix}/sessions/${id}`, { headers: session })
      assertRefusal(again, 404, 'Session not found')
    })

    test('DELETE /sessions/{id} of the session that asks clears its cookie', async () => {
      const mine = await app.session(ann)
      const { body } = await app.call('GET', `${prefix}/sessions`, { headers: mine })
      const { id } = body.find(({ current }: { current: boolean }) => current)
      const answer = await app.call('DELETE', `${prefix}/sessions/${id}`, { headers: mine })
      assert.equal(answer.status, 200)
      assert.equal(answer.cookies.JSESSIONID, '')
      assertRefusal(
        await app.call('GET', prefix, { headers: mine }),
        401,
        'Authentication required',
      )
    })

    test('a session that has ended by time is listed no more', async () => {
      const mine = await app.session(ann)
      app.clock.advance(1800)
      const { body } = await app.call('GET', `${prefix}/sessions`, { headers: app.basic(ann) })
      assert.deepEqual(body, [])
      assertRefusal(
        await app.call('GET', prefix, { headers: mine }),
        401,
        'Authentication required',
      )
    })

    test('DELETE /sessions: all but this one, and all tokens: 200, a message', async () => {
      const [mine, other] = [await app.session(ann), await app.session(ann)]
      const pair = await app.pair(ann)
      const answer = await app.call('DELETE', `${prefix}/sessions`, { headers: mine })
      assert.deepEqual(
        [answer.status, answer.body],
        [200, { message: 'All other sessions and all tokens ended' }],
      )
      assert.equal((await app.call('GET', prefix, { headers: mine })).status, 200)
      const headers = { authorization: `Bearer ${pair.access_token}` }
      const refused = await app.call('GET', prefix, { headers: other })
      assertRefusal(refused, 401, 'Authentication required')
      assertRefusal(await app.call('GET', prefix, { headers }), 401, 'Invalid or expired token')
      const { refresh_token } = pair
      const refreshed = await app.call('POST', '/refresh', { json: { refresh_token } })
      assertRefusal(refreshed, 401, 'Invalid refresh token')
      assert.equal((await app.call('POST', '/login', { json: ann })).status, 200)
    })

    test('PUT /password: 200; all other sessions and all tokens end, this session goes on', async () => {
      const [mine, other] = [await app.session(ann), await app.session(ann)]
      const bearer = await app.bearer(ann)
      const answer = await app.call('PUT', `${prefix}/password`, {
        headers: mine,
        json: { current_password: ann.password, new_password: newPassword },
      })
      assert.deepEqual([answer.status, answer.body], [200, { message: 'Password changed' }])
      assert.equal((await app.call('GET', prefix, { headers: mine })).status, 200)
      for (const headers of [other, bearer, app.basic(ann)]) {
        assert.equal((await app.call('GET', prefix, { headers })).status, 401)
      }
      assertRefusal(await app.call('POST', '/login', { json: ann }), 401, 'Invalid credentials')
      const json = { username: 'ann', password: newPassword }
      assert.equal((await app.call('POST', '/login', { json })).status, 200)
    })

    test('PUT /password by bearer: its own token ends too', async () => {
      const now = { ...ann, password: newPassword }
      const headers = await app.bearer(now)
      const json = { current_password: newPassword, new_password: ann.password }
      assert.equal((await app.call('PUT', `${prefix}/password`, { headers, json })).status, 200)
      assertRefusal(await app.call('GET', prefix, { headers }), 401, 'Invalid or expired token')
    })

    for (const [about, json, details] of [
      ['nothing', {}, [{ path: ['new_password'], message: 'is required' }]],
      [
        'a current password that is no text',
        { current_password: 5, new_password: newPassword },
        [{ path: ['current_password'], message: 'must be string' }],
      ],
      [
        'a new password too short',
        { current_password: ann.password, new_password: 'short' },
        [{ path: ['new_password'], message: 'must have at least 12 characters' }],
      ],
      [
        'a new password with the username in it',
        { current_password: ann.password, new_password: 'of someone who rolls' },
        [{ path: ['new_password'], message: 'must not hold the e-mail address' }],
      ],
      [
        'the same password again',
        { current_password: ann.password, new_password: ann.password },
        [{ path: ['new_password'], message: 'must differ from the present one' }],
      ],
    ] as const) {
      test(`PUT /password with ${about}: 400 with details, and nothing changed`, async () => {
        const headers = await app.session(ann)
        const before = await app.rows()
        const answer = await app.call('PUT', `${prefix}/password`, { headers, json })
        assertRefusal(answer, 400, 'Validation failed', '', { details })
        assert.deepEqual(await app.rows(), before)
      })
    }

    test('PUT /password with a wrong current one: 401, and nothing changed but the count', async () => {
      const headers = await app.session(ann)
      const before = await app.rows('throttle_places', 'accounts')
      const answer = await app.call('PUT', `${prefix}/password`, {
        headers,
        json: { current_password: 'not the password', new_password: newPassword },
      })
      assertRefusal(answer, 401, 'Invalid credentials')
      assert.deepEqual(await app.rows('throttle_places', 'accounts'), before)
      assert.equal((await app.call('POST', '/login', { json: ann })).status, 200)
    })

    test('PUT /password later than REAUTHENTICATE_SECONDS after the login: 401', async () => {
      const [bySession, byBearer] = [await app.session(ann), await app.bearer(ann)]
      const json = { current_password: ann.password, new_password: newPassword }
      app.clock.advance(901)
      const before = await app.rows()
      for (const headers of [bySession, byBearer]) {
        const answer = await app.call('PUT', `${prefix}/password`, { headers, json })
        assertRefusal(answer, 401, 'Recent login required')
      }
      assert.deepEqual(await app.rows(), before)
    })

    test('POST /recovery-codes, with a code: 201, ten new ones; the old ones end', async () => {
      const { who, device } = await enrolled(app, 'cleo')
      const login = (more: object) =>
        app.call('POST', '/login', {
          json: { username: who.username, password: who.password, ...more },
        })
      const { body } = await login({ totp: device.code() })
      const headers = { authorization: `Bearer ${body.token}` }
      const current_password = who.password
      const renew = (json: object) =>
        app.call('POST', `${prefix}/recovery-codes`, {
          headers,
          json: { ...json, current_password },
        })
      const before = await app.rows('throttle_places', 'accounts')
      const none = await renew({})
      assertRefusal(none, 401, 'Confirmation required', '', { proofs: ['totp'] })
      assertRefusal(await renew({ totp: '000000' }), 401, 'Invalid credentials')
      assert.deepEqual(await app.rows('throttle_places', 'accounts'), before)
      app.clock.advance(30)
      const answer = await renew({ totp: device.code() })
      assert.equal(answer.status, 201)
      const { recovery_codes } = answer.body
      assert.equal(new Set([...recovery_codes, ...device.recoveryCodes]).size, 20)
      assert.deepEqual((await app.rows()).recovery_codes?.length, 10)
      assertRefusal(
        await login({ recovery_code: device.recoveryCodes[0] }),
        401,
        'Invalid credentials',
      )
      assert.equal((await login({ recovery_code: recovery_codes[0] })).status, 200)
    })

    test('POST /recovery-codes without a second factor: 401, and none are made', async () => {
      const headers = await app.session(ann)
      const json = { totp: '000000', current_password: ann.password }
      const answer = await app.call('POST', `${prefix}/recovery-codes`, { headers, json })
      assertRefusal(answer, 401, 'Invalid credentials')
      const { recovery_codes = [] } = await app.rows()
      assert.ok(recovery_codes.every((row) => (row as { user_id: number }).user_id !== ann.userId))
    })
  })
}

suite("one's own account", async () => {
  const app = await testApp()

  test('/api/user/account asks for the role USER, /api/account for any account', async () => {
    const headers = app.basic(await app.account('ed', ['EDITOR', 'ADMIN']))
    for (const rest of ['', '/sessions']) {
      assertRefusal(
        await app.call('GET', `/api/user/account${rest}`, { headers }),
        403,
        'Access denied',
      )
      assert.equal((await app.call('GET', `/api/account${rest}`, { headers })).status, 200)
    }
  })

  test('GET shows roles and second factor as they are now', async () => {
    const bob = await app.account('bob')
    const session = await app.session(bob)
    await app.call('PUT', '/api/admin/accounts/bob', {
      headers: app.basic(app.admin),
      json: { roles: ['ADMIN', 'USER'] },
    })
    await enrol(app, session)
    const { body } = await app.call('GET', '/api/account', { headers: session })
    assert.deepEqual([body.roles, body.second_factor], [['USER', 'ADMIN'], true])
  })

  test('without an account any more: 401 by each scheme', async () => {
    const gone = await app.account('gone')
    const proofs = [app.basic(gone), await app.session(gone), await app.bearer(gone)]
    await app.call('DELETE', '/api/admin/accounts/gone', { headers: app.basic(app.admin) })
    for (const headers of proofs) {
      assert.equal((await app.call('GET', '/api/account', { headers })).status, 401)
    }
  })
})

// A database makes a difference: what another process revoked is read from it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, type Someone, type TestApp, testApp } from '../app.ts'
import { heard } from '../database.ts'

const refusedBearer = { error: 'Invalid or expired token' }
const refusedRefresh = { error: 'Invalid refresh token' }

suite('a token that was revoked ends at the next request', async () => {
  const app = await testApp()
  // A second process on the same database, as the command line or another node would be.
  const other = await testApp({}, { directory: app.directory, clock: app.clock })
  let made = 0
  const someone = () => app.account(`someone${made++}`, ['USER', 'ADMIN'])
  const status = async (who: TestApp, headers: Headers) =>
    (await who.call('GET', '/users?limit=1', { headers })).status
  const refresh = (refresh_token: string) =>
    app.call('POST', '/refresh', { form: { refresh_token } })

  const admin = (method: string, path: string, json?: unknown) =>
    app.call(method, path, { headers: app.basic(app.admin), ...(json !== undefined && { json }) })

  const causes: [string, (who: Someone) => Promise<unknown>, { refreshGoesOn?: boolean }?][] = [
    ['lock', ({ username }) => admin('PUT', `/api/admin/accounts/${username}`, { locked: true })],
    [
      'disabling',
      ({ username }) => admin('PUT', `/api/admin/accounts/${username}`, { active: false }),
    ],
    [
      'new password',
      ({ username }) =>
        admin('PUT', `/api/admin/accounts/${username}`, {
          password: 'a wholly other phrase, 1953',
        }),
    ],
    [
      'deletion of the account',
      ({ username }) => admin('DELETE', `/api/admin/accounts/${username}`),
    ],
    ['deletion of the user', ({ userId }) => admin('DELETE', `/users/${userId}`)],
    [
      'role change',
      ({ username }) => admin('PUT', `/api/admin/accounts/${username}`, { roles: ['USER'] }),
      { refreshGoesOn: true },
    ],
  ]
  for (const [cause, act, { refreshGoesOn = false } = {}] of causes) {
    test(`T57: ${cause} ends access tokens in this process and in another`, async () => {
      const who = await someone()
      const { access_token, refresh_token } = await app.pair(who)
      const headers = { authorization: `Bearer ${access_token}` }
      assert.equal(await status(app, headers), 200)
      assert.equal(await status(other, headers), 200, 'verified and kept there as well')
      await act(who)
      const refused = await app.call('GET', '/users', { headers })
      assert.equal(refused.status, 401)
      assert.deepEqual(refused.body, refusedBearer)
      await heard(other)
      assert.equal(await status(other, headers), 401)
      const me = await other.call('GET', '/api/me', { headers })
      assert.deepEqual(me.body, { error: 'Invalid token' })
      const refreshed = await refresh(refresh_token)
      assert.equal(refreshed.status, refreshGoesOn ? 200 : 401)
      if (refreshGoesOn) {
        const fresh = { authorization: `Bearer ${refreshed.body.access_token}` }
        assert.equal(await status(other, fresh), 200)
      } else assert.deepEqual(refreshed.body, refusedRefresh)
    })
  }

  test('a change that changes nothing ends nothing', async () => {
    const who = await someone()
    const headers = await app.bearer(who)
    for (const json of [{}, { roles: ['ADMIN', 'USER'] }, { locked: false }, { active: true }]) {
      await admin('PUT', `/api/admin/accounts/${who.username}`, json)
    }
    assert.equal(await status(app, headers), 200)
  })

  test('T48: logout ends the bearer token of its header, and no other', async () => {
    const who = await someone()
    const [first, second] = [await app.bearer(who), await app.bearer(who)]
    const answer = await app.call('POST', '/logout', { headers: first })
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.body, { message: 'Logged out' })
    assert.equal(await status(app, first), 401)
    await heard(other)
    assert.equal(await status(other, first), 401)
    assert.equal(await status(other, second), 200)
  })

  test('logout ends session and token where both are sent', async () => {
    const who = await someone()
    const session = await app.session(who)
    const bearer = await app.bearer(who)
    await app.call('POST', '/logout', { headers: { ...session, ...bearer } })
    assert.equal(await status(app, bearer), 401)
    assert.equal((await app.call('GET', '/api/protected', { headers: session })).status, 401)
  })

  test('logout with an invalid token is the same 200 and stores nothing', async () => {
    const before = await app.rows()
    for (const authorization of ['Bearer nonsense', 'Bearer ', 'Basic x', 'Digest y']) {
      const answer = await app.call('POST', '/logout', { headers: { authorization } })
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { message: 'Logged out' })
    }
    assert.deepEqual(await app.rows(), before)
  })

  test('T59: a revocation that cannot be stored is an error, never 200', async () => {
    const who = await someone()
    const headers = await app.bearer(who)
    await app.deps.db.schema.alterTable('revocations').renameTo('revocations_gone').execute()
    const answer = await app.call('POST', '/logout', { headers })
    await app.deps.db.schema.alterTable('revocations_gone').renameTo('revocations').execute()
    assert.ok(answer.status >= 500, String(answer.status))
    assert.equal(await status(app, headers), 200, 'and the token goes on')
  })

  const purge = async () => {
    for (const { name, run } of app.app.jobs) if (name === 'revocations') await run()
  }

  test('a restart forgets no revocation, and entries go once no token can need them', async () => {
    const who = await someone()
    const headers = await app.bearer(who)
    await app.call('POST', '/logout', { headers })
    const again = await testApp({}, { directory: app.directory, clock: app.clock })
    assert.equal(await status(again, headers), 401)
    app.clock.advance(8 * 86_400)
    await purge()
    assert.deepEqual((await app.rows()).revocations, [])
  })

  test('what ended all tokens of an account holds for a token of any age, also without the account and the user', async () => {
    const options = { directory: app.directory, clock: app.clock }
    const longLived = await testApp({ LOGIN_TOKEN_SECONDS: String(400 * 86_400) }, options)
    const ways: readonly ((who: Someone) => Promise<unknown>)[] = [
      async ({ username }) => {
        await admin('PUT', `/api/admin/accounts/${username}`, { locked: true })
        await admin('PUT', `/api/admin/accounts/${username}`, { locked: false })
      },
      ({ username }) => admin('DELETE', `/api/admin/accounts/${username}`),
      ({ userId }) => admin('DELETE', `/users/${userId}`),
      async ({ username, userId }) => {
        await admin('DELETE', `/api/admin/accounts/${username}`)
        await admin('DELETE', `/users/${userId}`)
      },
    ]
    const ended: Headers[] = []
    for (const end of ways) {
      const who = await someone()
      const headers = await longLived.bearer(who)
      assert.equal(await status(app, headers), 200)
      await end(who)
      ended.push(headers)
    }
    const good = await longLived.bearer(await someone())
    for (const days of [1, 9, 90]) {
      app.clock.advance(days * 86_400)
      await purge()
      const started = await testApp({}, { ...options })
      await heard(app)
      for (const node of [app, other, started]) {
        for (const headers of ended) assert.equal(await status(node, headers), 401, `${days} days`)
        assert.equal(await status(node, good), 200)
      }
      await started.close()
    }
    assert.deepEqual((await app.rows()).revocations, [])
    await longLived.close()
  })

  test('a token that is older than the log is looked up, and does not pass where it cannot be', async () => {
    const options = { directory: app.directory, clock: app.clock }
    const longLived = await testApp({ LOGIN_TOKEN_SECONDS: String(30 * 86_400) }, options)
    const headers = await longLived.bearer(await someone())
    app.clock.advance(8 * 86_400)
    await app.deps.db.schema.alterTable('token_versions').renameTo('versions_gone').execute()
    const answer = await app.call('GET', '/api/me', { headers })
    await app.deps.db.schema.alterTable('versions_gone').renameTo('token_versions').execute()
    assert.ok(answer.status >= 500, String(answer.status))
    assert.equal(await status(app, headers), 200)
    await longLived.close()
  })

  test('no table is read for a bearer token of the last week', async () => {
    const headers = await app.bearer(await someone())
    const { db, feed } = app.deps
    let isSure = false
    for (let tries = 0; tries < 100 && !isSure; tries += 1) {
      await heard(app)
      await app.call('GET', '/api/me', { headers })
      await db.schema.alterTable('revocations').renameTo('hidden').execute()
      isSure = feed.isCurrent() // on a loaded machine it may not be for a while, and asks
      const hidden = await app.call('GET', '/api/me', { headers })
      await db.schema.alterTable('hidden').renameTo('revocations').execute()
      isSure &&= feed.isCurrent()
      if (isSure) assert.equal(hidden.status, 200)
    }
    assert.ok(isSure)
  })
})

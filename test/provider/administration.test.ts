// A database makes a difference: consents and grants are joined and paged.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { testApp } from '../app.ts'
import { pageBrowser } from '../page-browser.ts'
import {
  application,
  errorOf,
  open,
  providerApp,
  relyingParty,
  request,
  signedIn,
  signIn,
  userinfo,
} from './application.ts'

suite('an administrator and the accesses of applications', async () => {
  const scopes = ['openid', 'profile', 'offline_access']
  const app = await providerApp([
    application('notes', { scopes }),
    application('trusted', { name: 'Wiki', consent: 'none' }),
    application('unused'),
  ])
  const rp = await relyingParty(app, 'notes')
  const trusted = await relyingParty(app, 'trusted')
  const [ann, bob] = [await app.account('ann'), await app.account('bob')]
  const headers = await app.bearer(app.admin)
  const kept = { scope: 'openid offline_access', prompt: 'consent' }
  const { browser, tokens } = await signedIn(app, rp, ann, kept)
  const [consent] = await app.deps.db.selectFrom('provider_consents').selectAll().execute()
  const given_at = new Date(consent?.given_at ?? 0).toISOString()
  await open(browser, (await request(trusted, { scope: 'openid' })).address)
  const second = pageBrowser(app)
  await open(second, (await request(trusted, { scope: 'openid' })).address)
  await signIn(second, bob)

  const listed = (name: string) =>
    app.call('GET', `/api/admin/accounts/${name}/applications`, { headers })
  const accountsOf = (id: string, query = '') =>
    app.call('GET', `/api/admin/clients/${id}/accounts${query}`, { headers })
  const withdrawn = (name: string, id: string) =>
    app.call('DELETE', `/api/admin/accounts/${name}/applications/${id}`, { headers })
  const ofNotes = {
    ...{ client: 'notes', name: 'Notes', scopes: ['openid', 'offline_access'] },
    ...{ offline: true, given_at },
  }
  const ofTrusted = {
    ...{ client: 'trusted', name: 'Wiki', scopes: [], offline: false, given_at: null },
  }

  test('sees what an account has given, by a consent or without one', async () => {
    assert.deepEqual((await listed('ann')).body, [ofNotes, ofTrusted])
    assert.deepEqual((await listed('bob')).body, [ofTrusted])
    assert.deepEqual((await listed('admin')).body, [])
    assert.equal((await listed('nobody')).status, 404)
  })

  test('sees which accounts a client has access to, by pages', async () => {
    const person = { user_id: ann.userId, username: 'ann' }
    const { body } = await accountsOf('notes')
    assert.deepEqual(body, {
      ...{ page: 1, limit: 10, total: 1 },
      data: [{ ...person, scopes: ofNotes.scopes, given_at }],
    })
    const pages = await Promise.all(
      [1, 2, 3].map((page) => accountsOf('trusted', `?page=${page}&limit=1`)),
    )
    assert.deepEqual(
      pages.map(({ body: { data, total } }) => [
        total,
        data.map((one: { username: string }) => one.username),
      ]),
      [
        [2, ['ann']],
        [2, ['bob']],
        [2, []],
      ],
    )
    assert.deepEqual((await accountsOf('unused')).body.data, [])
    assert.deepEqual((await accountsOf('nothing')).body, { error: 'Client not found' })
    await app.deps.db
      .insertInto('provider_artifacts')
      .values({
        ...{ id: 'd', kind: 'Grant', client: 'unused', user_id: ann.userId, session_id: null },
        ...{ grant_id: 'd', uid: null, address: '', sealed: 's', consumed_at: null },
        expires_at: app.clock.now(),
      })
      .execute()
    assert.equal((await accountsOf('unused')).body.total, 0, 'the grant has expired')
    await app.deps.db.deleteFrom('provider_artifacts').where('id', '=', 'd').execute()
  })

  test('withdraws one access: its tokens end at the next request, others stay', async () => {
    const { tokens: others } = await signedIn(app, rp, bob, { browser: second, ...kept })
    const { status, body } = await withdrawn('ann', 'notes')
    assert.deepEqual([status, body], [200, { message: 'Access withdrawn' }])
    assert.equal((await userinfo(app, tokens.access_token)).status, 401)
    const refused = errorOf(client.refreshTokenGrant(rp, tokens.refresh_token ?? ''))
    assert.equal(await refused, '400 invalid_grant')
    assert.equal((await userinfo(app, others.access_token)).status, 200)
    assert.deepEqual((await listed('ann')).body, [ofTrusted])
    const told = app.log.filter(({ event }) => event === 'application_access_withdrawn')
    assert.deepEqual(
      told.map(({ client: id, user_id }) => [id, user_id]),
      [['notes', ann.userId]],
    )
    const again = await withdrawn('ann', 'notes')
    assert.deepEqual([again.status, again.body], [404, { error: 'Client not found' }])
    assert.equal((await withdrawn('nobody', 'notes')).status, 404)
    for (const id of ['no%00tes', '%00', '__proto__', 'x'.repeat(2000)]) {
      const none = await withdrawn('ann', id)
      assert.deepEqual([none.status, none.body], [404, { error: 'Client not found' }], id)
    }
    assert.equal((await userinfo(app, others.access_token)).status, 200)
  })

  test('nobody else does; an administrator does with PROVIDER=off too', async () => {
    const path = '/api/admin/accounts/ann/applications'
    const own = await app.bearer(ann)
    for (const [method, where] of [
      ['GET', path],
      ['DELETE', `${path}/trusted`],
      ['GET', '/api/admin/clients/trusted/accounts'],
    ] as const) {
      assert.equal((await app.call(method, where, { headers: own })).status, 403)
      assert.equal((await app.call(method, where)).status, 401)
    }
    assert.deepEqual((await listed('ann')).body, [ofTrusted])
    const off = await testApp(
      { CLIENTS_FILE: app.deps.config.clients.file ?? '' },
      { directory: app.directory, clock: app.clock },
    )
    const answer = await off.call('DELETE', `${path}/trusted`, {
      headers: await off.bearer(app.admin),
    })
    assert.deepEqual([answer.status, answer.body], [200, { message: 'Access withdrawn' }])
  })
})

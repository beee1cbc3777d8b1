// A database makes a difference: an application is told by a row that any node may take.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import type { TestApp } from '../app.ts'
import { runJob } from '../statistics.ts'
import { application, issuer, providerApp, relyingParty, signedIn } from './application.ts'
import { startListener } from './listener.ts'

suite('the end of a session is told to its applications', async () => {
  const notes = await startListener()
  const app = await providerApp([
    application('notes', { backchannel_logout_uri: notes.url }),
    application('other'),
  ])
  const rp = await relyingParty(app, 'notes')
  const tell = () => runJob(app, 'sign-outs of applications')
  const signOut = async (on: TestApp, { browser }: Awaited<ReturnType<typeof signedIn>>) => {
    assert.equal(on, app)
    await browser.open('/signout')
    await browser.submit()
  }

  test('by a logout token for the session, once', async () => {
    const ann = await app.account('ann')
    const login = await signedIn(app, rp, ann)
    await signedIn(app, await relyingParty(app, 'other'), ann, { browser: login.browser })
    await tell()
    assert.deepEqual(notes.received, [], 'the session lives')
    await signOut(app, login)
    await tell()
    await tell()
    assert.equal(notes.received.length, 1)
    const { body: jwks } = await app.call('GET', '/.well-known/jwks.json')
    const { payload, protectedHeader } = await jwtVerify(
      notes.received[0] ?? '',
      createLocalJWKSet(jwks),
      { issuer, audience: 'notes', typ: 'logout+jwt' },
    )
    assert.equal(payload.sid, login.tokens.claims()?.sid)
    assert.deepEqual(payload.events, { 'http://schemas.openid.net/event/backchannel-logout': {} })
    assert.equal(payload.nonce, undefined)
    assert.equal(protectedHeader.alg, 'RS256')
    assert.equal((await app.rows()).provider_logins?.length, 0)
    notes.received.length = 0
  })

  for (const [name, end] of [
    ['a lock', { locked: true }],
    ['a new password', { password: 'another long pass phrase' }],
  ] as const) {
    test(`also of ${name}`, async () => {
      const who = await app.account(`of-${name.replace(/ /g, '-')}`)
      await signedIn(app, rp, who)
      const call = { headers: app.basic(app.admin), json: end }
      await app.call('PUT', `/api/admin/accounts/${who.username}`, call)
      await tell()
      assert.equal(notes.received.length, 1)
      notes.received.length = 0
    })
  }

  test('also of the deletion of the user, and of a timeout', async () => {
    const eve = await app.account('eve')
    await signedIn(app, rp, eve)
    await app.call('DELETE', `/users/${eve.userId}`, { headers: app.basic(app.admin) })
    await tell()
    assert.equal(notes.received.length, 1)
    await signedIn(app, rp, await app.account('bob'))
    app.clock.advance(86_400 * 2)
    await runJob(app, 'ended sessions')
    await tell()
    assert.equal(notes.received.length, 2)
    notes.received.length = 0
  })

  test('an application that fails is told later, and the person waits for nothing', async () => {
    notes.answer(500)
    const login = await signedIn(app, rp, await app.account('carl'))
    await signOut(app, login)
    await tell()
    await tell()
    assert.equal(notes.received.length, 1)
    notes.answer(200)
    app.clock.advance(6)
    await tell()
    assert.equal(notes.received.length, 2)
    assert.equal((await app.rows()).provider_logins?.length, 0)
  })
})

suite('an application at a private address', async () => {
  const uri = 'https://10.1.2.3/logout'
  const app = await providerApp([application('notes', { backchannel_logout_uri: uri })])
  const rp = await relyingParty(app, 'notes')

  test('is told only by the rule of the operator', async () => {
    const { browser } = await signedIn(app, rp, await app.account('ann'))
    await browser.open('/signout')
    await browser.submit()
    await runJob(app, 'sign-outs of applications')
    const [row] = (await app.rows()).provider_logins ?? []
    assert.equal((row as { attempts: number }).attempts, 1)
  })
})

// A database makes a difference: what ends a login ends the rows of its tokens by foreign keys.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import type { Someone, TestApp } from '../app.ts'
import { passwordOf } from '../app.ts'
import type { PageBrowser } from '../page-browser.ts'
import {
  application,
  errorOf,
  open,
  providerApp,
  relyingParty,
  request,
  signedIn,
  userinfo,
} from './application.ts'

interface Login {
  readonly who: Someone
  readonly browser: PageBrowser
}

type End = (app: TestApp, login: Login) => Promise<unknown>

const asAdmin = (app: TestApp) => ({ headers: app.basic(app.admin) })
const change = (json: object): End => {
  return async (app, { who }) => {
    const path = `/api/admin/accounts/${who.username}`
    const answer = await app.call('PUT', path, { ...asAdmin(app), json })
    assert.equal(answer.status, 200, answer.text)
  }
}

const nothing: End = async () => {}
const signOut: End = async (_, { browser }) => {
  await browser.open('/signout')
  await browser.submit()
  assert.equal(browser.path(), '/signout?done=1')
}
const endAll: End = (app, { who }) =>
  app.call('DELETE', `/api/admin/accounts/${who.username}/sessions`, asAdmin(app))
const remove: End = (app, { who }) => app.call('DELETE', `/users/${who.userId}`, asAdmin(app))
const newPassword: End = change({ password: `${passwordOf('someone')} anew` })

/** What lives after an end: tokens that end with the session, and those that survive a sign-out. */
const ends: readonly (readonly [string, End, { online: boolean; offline: boolean }])[] = [
  ['nothing', nothing, { online: true, offline: true }],
  ['a sign-out', signOut, { online: false, offline: true }],
  ['a lock', change({ locked: true }), { online: false, offline: false }],
  ['a new password', newPassword, { online: false, offline: false }],
  ['the end of all sessions', endAll, { online: false, offline: false }],
  ['the deletion of the user', remove, { online: false, offline: false }],
  ['new roles', change({ roles: ['USER', 'EDITOR'] }), { online: true, offline: true }],
]

suite('the end of a login ends the tokens of applications at the next request', async () => {
  const scopes = ['openid', 'profile', 'email', 'groups', 'offline_access']
  const app = await providerApp([application('notes', { scopes })])
  const rp = await relyingParty(app, 'notes')
  let made = 0

  for (const [name, end, lives] of ends) {
    test(name, async () => {
      made += 1
      const who = await app.account(`person${made}`)
      const { browser, tokens } = await signedIn(app, rp, who)
      const kept = await signedIn(app, rp, who, {
        browser,
        scope: 'openid offline_access',
        prompt: 'consent',
      })
      await end(app, { who, browser })
      const statusOf = async (token: string) => (await userinfo(app, token)).status
      assert.equal(await statusOf(tokens.access_token), lives.online ? 200 : 401)
      assert.equal(await statusOf(kept.tokens.access_token), lives.offline ? 200 : 401)
      const refresh = (token = '') => errorOf(client.refreshTokenGrant(rp, token))
      const refused = (isLive: boolean) => (isLive ? 'no error' : '400 invalid_grant')
      assert.equal(await refresh(tokens.refresh_token), refused(lives.online))
      assert.equal(await refresh(kept.tokens.refresh_token), refused(lives.offline))
      const again = await request(rp, { prompt: 'none' })
      const error = new URL((await open(browser, again.address)) ?? '').searchParams.get('error')
      assert.equal(error, lives.online ? null : 'login_required')
    })
  }
})

suite('a session that only an application uses', async () => {
  const app = await providerApp([application('notes')], { SESSION_IDLE_SECONDS: '600' })
  const rp = await relyingParty(app, 'notes')
  const ann = await app.account('ann')

  test('ends at its timeout, however often the application asks', async () => {
    const { browser, tokens } = await signedIn(app, rp, ann)
    let refreshToken = tokens.refresh_token ?? ''
    for (let minute = 1; minute < 10; minute += 1) {
      app.clock.advance(60)
      assert.equal((await userinfo(app, tokens.access_token)).status, 200, `${minute}`)
      const next = await client.refreshTokenGrant(rp, refreshToken)
      refreshToken = next.refresh_token ?? ''
    }
    app.clock.advance(61)
    assert.equal((await userinfo(app, tokens.access_token)).status, 401)
    await browser.open('/account')
    assert.match(browser.path(), /^\/signin/)
  })
})

suite('a code and a refresh token', async () => {
  const app = await providerApp([application('notes'), application('other')])
  const rp = await relyingParty(app, 'notes')
  const other = await relyingParty(app, 'other')
  const ann = await app.account('ann')

  test('two uses of a refresh token at once both live, and one after the grace ends all', async () => {
    const { tokens } = await signedIn(app, rp, ann)
    const use = () => client.refreshTokenGrant(rp, tokens.refresh_token ?? '')
    const [one, two] = await Promise.all([use(), use()])
    for (const { access_token } of [one, two]) {
      assert.equal((await userinfo(app, access_token)).status, 200)
    }
    app.clock.advance(120)
    assert.equal(await errorOf(use()), '400 invalid_grant')
    for (const { access_token } of [tokens, one, two]) {
      assert.equal((await userinfo(app, access_token)).status, 401)
    }
    assert.equal(
      await errorOf(client.refreshTokenGrant(rp, one.refresh_token ?? '')),
      '400 invalid_grant',
    )
    assert.equal(app.log.filter(({ event }) => event === 'application_token_reuse').length, 1)
  })

  test('a code is used once: ten uses at once give one answer, and then all of it has ended', async () => {
    const { browser } = await signedIn(app, rp, ann)
    const asked = await request(rp)
    const at = new URL((await open(browser, asked.address)) ?? '')
    const checks = {
      pkceCodeVerifier: asked.verifier,
      expectedState: asked.state,
      expectedNonce: asked.nonce,
    }
    const use = () => client.authorizationCodeGrant(rp, at, checks)
    const answers = await Promise.allSettled(Array.from({ length: 10 }, use))
    const given = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    assert.equal(given.length, 1)
    assert.equal((await userinfo(app, given[0]?.access_token ?? '')).status, 401)
  })

  test('of another application, or with another verifier, gives nothing and uses nothing up', async () => {
    const { browser } = await signedIn(app, rp, ann)
    const asked = await request(rp)
    const at = new URL((await open(browser, asked.address)) ?? '')
    const checks = { expectedState: asked.state, expectedNonce: asked.nonce }
    const use = (who: client.Configuration, pkceCodeVerifier: string) =>
      errorOf(client.authorizationCodeGrant(who, at, { ...checks, pkceCodeVerifier }))
    assert.equal(await use(other, asked.verifier), '400 invalid_grant')
    assert.equal(await use(rp, client.randomPKCECodeVerifier()), '400 invalid_grant')
    assert.equal(await use(rp, asked.verifier), 'no error')
  })
})

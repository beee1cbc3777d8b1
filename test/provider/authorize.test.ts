// A database makes a difference: a choice ends a session, and the request that waits goes on.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { decodeJwt } from 'jose'
import * as client from 'openid-client'
import type { Someone } from '../app.ts'
import { asClient } from '../clients.ts'
import { enrol } from '../factor.ts'
import { type PageBrowser, pageBrowser } from '../page-browser.ts'
import {
  allow,
  application,
  open,
  providerApp,
  redeem,
  relyingParty,
  request,
  settle,
  signedIn,
  signIn,
} from './application.ts'

/** Of a person without an address, whom a page tells so once. */
const signInFirst = async (browser: PageBrowser, who: Someone) =>
  (await signIn(browser, who)) ?? (await allow(browser))

const question = 'Which account for Notes?'

suite('prompt=select_account', async () => {
  const app = await providerApp([application('notes', { consent: 'none' })])
  const rp = await relyingParty(app, 'notes')
  const [ann, bob] = [await app.account('ann'), await app.account('bob')]
  const select = (more: Record<string, string> = {}) =>
    request(rp, { prompt: 'select_account', ...more })
  const subject = async (asked: Awaited<ReturnType<typeof select>>, at: string | null) =>
    (await redeem(rp, asked, at)).claims()?.sub
  const sessions = async () => (await app.rows()).sessions?.length

  test('shows who is signed in, who can go on', async () => {
    const { browser } = await signedIn(app, rp, ann)
    const asked = await select()
    assert.equal(await open(browser, asked.address), null)
    assert.equal(browser.heading(), question)
    assert.match(browser.page().text, /You are signed in as <b>ann<\/b>/)
    const before = await sessions()
    await browser.submit({}, 'value="allow"')
    assert.equal(await subject(asked, await settle(browser)), String(ann.userId))
    assert.equal(await sessions(), before)
  })

  test('lets the person sign in as another, and the session before ends', async () => {
    const { browser, tokens } = await signedIn(app, rp, ann)
    const asked = await select()
    await open(browser, asked.address)
    await browser.submit({}, 'value="other"')
    assert.match(browser.path(), /^\/signin\?/)
    const refreshed = client.refreshTokenGrant(rp, tokens.refresh_token ?? '')
    await assert.rejects(refreshed, { error: 'invalid_grant' })
    assert.equal(await subject(asked, await signInFirst(browser, bob)), String(bob.userId))
  })

  test('asks nothing of a person who signs in for the request', async () => {
    const asked = await select()
    const browser = pageBrowser(app)
    assert.equal(await open(browser, asked.address), null)
    assert.match(browser.path(), /^\/signin\?/)
    assert.equal(await subject(asked, await signIn(browser, ann)), String(ann.userId))
  })

  test('goes with a new login, and with a consent', async () => {
    const { browser } = await signedIn(app, rp, ann)
    const both = await select({ prompt: 'select_account login' })
    await open(browser, both.address)
    assert.equal(browser.heading(), question)
    await browser.submit({}, 'value="allow"')
    assert.equal(await settle(browser), null)
    assert.match(browser.path(), /^\/signin\?.*again=1/)
    assert.equal(await subject(both, await signIn(browser, ann)), String(ann.userId))
    const consent = await select({ prompt: 'consent select_account' })
    await open(browser, consent.address)
    await browser.submit({}, 'value="allow"')
    await settle(browser)
    assert.equal(browser.heading(), 'Sign in to Notes')
    assert.equal(await subject(consent, await allow(browser)), String(ann.userId))
  })

  test('can be declined, and no form of another site chooses', async () => {
    const { browser } = await signedIn(app, rp, ann)
    await open(browser, (await select()).address)
    const { action, fields } = browser.form('value="other"')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const form = { ...fields, csrf_token: 'x' }
    const before = await app.rows()
    const forged = await app.call('POST', action, { headers: { cookie }, form })
    assert.equal(forged.status, 403)
    assert.deepEqual((await app.rows()).sessions, before.sessions)
    await browser.submit({}, 'value="deny"')
    const at = new URL((await settle(browser)) ?? '')
    assert.equal(at.searchParams.get('error'), 'access_denied')
  })

  test('is told in the discovery document', async () => {
    const { body } = await app.call('GET', '/.well-known/openid-configuration')
    assert.deepEqual(body.prompt_values_supported, ['none', 'login', 'consent', 'select_account'])
    assert.deepEqual(body.ui_locales_supported, ['en', 'de'])
    assert.deepEqual(body.acr_values_supported, ['mfa'])
    assert.ok(body.claims_supported.includes('acr'))
  })
})

suite('acr_values', async () => {
  const app = await providerApp([application('notes', { consent: 'none' })])
  const rp = await relyingParty(app, 'notes')
  const wish = { acr_values: 'urn:other mfa' }
  const acrOf = ({ id_token = '' }: { id_token?: string }) => {
    const { acr, amr } = decodeJwt<{ acr?: string; amr: string[] }>(id_token)
    return [acr, amr.includes('mfa')]
  }

  test('are voluntary for a person with one factor', async () => {
    const ann = await app.account('ann')
    const { browser, tokens } = await signedIn(app, rp, ann, wish)
    assert.deepEqual(acrOf(tokens), [undefined, false])
    const quiet = await request(rp, { ...wish, prompt: 'none' })
    const again = await redeem(rp, quiet, await open(browser, quiet.address))
    assert.deepEqual(acrOf(again), [undefined, false])
  })

  test('ask a person with two factors for the second, and acr says so, after a refresh too', async () => {
    const bob = await app.account('bob')
    const browser = pageBrowser(app)
    const first = await signedIn(app, rp, bob, { browser })
    assert.deepEqual(acrOf(first.tokens), [undefined, false])
    const { code } = await enrol(app, await app.session(bob))
    const begun = await request(rp)
    assert.equal(await open(browser, begun.address), null, 'a new factor ends the logins')
    await signIn(browser, bob)
    await browser.submit({ totp: code(1) })
    const tokens = await redeem(rp, begun, await settle(browser))
    assert.deepEqual(acrOf(tokens), ['mfa', true])
    const asked = await request(rp, wish)
    const again = await redeem(rp, asked, await open(browser, asked.address))
    assert.deepEqual(acrOf(again), ['mfa', true])
    const refreshed = await client.refreshTokenGrant(rp, again.refresh_token ?? '')
    assert.deepEqual(acrOf(refreshed), ['mfa', true])
  })

  test('ask for the second factor on a device that stands in for it', async () => {
    const eve = await app.account('eve')
    const { code } = await enrol(app, await app.session(eve))
    const browser = pageBrowser(app)
    await browser.open('/signin')
    await signIn(browser, eve)
    await browser.submit({ totp: code(1), remember_device: '1' })
    await browser.open('/signout')
    await browser.submit()
    const plain = await request(rp)
    await open(browser, plain.address)
    const first = await redeem(rp, plain, await signInFirst(browser, eve))
    assert.deepEqual(acrOf(first), [undefined, false])
    const quiet = await request(rp, { ...wish, prompt: 'none' })
    const silent = await redeem(rp, quiet, await open(browser, quiet.address))
    assert.deepEqual(acrOf(silent), [undefined, false])
    const asked = await request(rp, wish)
    assert.equal(await open(browser, asked.address), null)
    assert.match(browser.path(), /^\/signin\?return_to=.*two_factor/)
    await signIn(browser, eve)
    assert.match(browser.heading(), /Second factor/)
    app.clock.advance(60)
    await browser.submit({ totp: code() })
    assert.deepEqual(acrOf(await redeem(rp, asked, await settle(browser))), ['mfa', true])
  })
})

suite('what an application proposes', async () => {
  const app = await providerApp([application('notes', { consent: 'none' }), application('asking')])
  const rp = await relyingParty(app, 'notes')
  const ann = await app.account('ann')
  const bob = await app.account('bob')
  const nameIn = (browser: PageBrowser) =>
    /name="username"[^>]*? value="([^"]*)"|value="([^"]*)"[^>]*? name="username"/
      .exec(browser.page().text)
      ?.slice(1)
      .find(Boolean)

  test('login_hint fills the name, known or not, as text alone', async () => {
    for (const login_hint of ['ann', 'nobody@example.org', 'a"><script>']) {
      const browser = pageBrowser(app)
      await open(browser, (await request(rp, { login_hint })).address)
      const shown = nameIn(browser)?.replaceAll('&quot;', '"').replaceAll('&lt;', '<')
      assert.equal(shown?.replaceAll('&gt;', '>'), login_hint)
      assert.ok(!browser.page().text.includes('"><script>'))
    }
    for (const login_hint of ['x'.repeat(255), 'a\u0000b', 'a\u202eb']) {
      const browser = pageBrowser(app)
      await open(browser, (await request(rp, { login_hint })).address)
      assert.equal(browser.page().status, 200)
      assert.equal(nameIn(browser), undefined)
    }
    const browser = pageBrowser(app)
    const asked = await request(rp, { login_hint: 'ann' })
    await open(browser, asked.address)
    const tokens = await redeem(rp, asked, await signInFirst(browser, bob))
    assert.equal(tokens.claims()?.sub, String(bob.userId), 'another may sign in')
  })

  test('ui_locales chooses the language of all pages of the flow', async () => {
    const german = { ui_locales: 'fr de-AT en' }
    const browser = pageBrowser(app)
    const asking = await relyingParty(app, 'asking')
    await open(browser, (await request(asking, german)).address)
    assert.match(browser.page().text, /<html lang="de"/)
    await signIn(browser, ann)
    assert.equal(browser.heading(), 'Bei Notes anmelden')
    const signedIn = pageBrowser(app)
    await open(signedIn, (await request(rp)).address)
    await signIn(signedIn, ann)
    await open(signedIn, (await request(asking, german)).address)
    assert.equal(signedIn.heading(), 'Bei Notes anmelden')
    const other = pageBrowser(app)
    await open(other, (await request(rp, { ui_locales: `${'x'.repeat(1100)} de` })).address)
    assert.match(other.page().text, /<html lang="en"/)
  })

  test('id_token_hint of another person is login_required with prompt=none', async () => {
    const { tokens } = await signedIn(app, rp, bob)
    const { browser } = await signedIn(app, rp, ann)
    const id_token_hint = tokens.id_token ?? ''
    const asked = await request(rp, { prompt: 'none', id_token_hint })
    const at = new URL((await open(browser, asked.address)) ?? '')
    assert.equal(at.searchParams.get('error'), 'login_required')
    assert.equal(at.searchParams.get('code'), null)
    const own = await signedIn(app, rp, ann)
    const again = await request(rp, { prompt: 'none', id_token_hint: own.tokens.id_token ?? '' })
    assert.match((await open(own.browser, again.address)) ?? '', /code=/)
  })

  test('they can be pushed', async () => {
    const { address } = await request(rp, { login_hint: 'ann', ui_locales: 'de' })
    const form = Object.fromEntries(address.searchParams)
    const pushed = await app.call('POST', '/oauth/par', { headers: asClient('notes'), form })
    const query = new URLSearchParams({ client_id: 'notes', request_uri: pushed.body.request_uri })
    const browser = pageBrowser(app)
    await open(browser, `/oauth/authorize?${query}`)
    assert.equal(nameIn(browser), 'ann')
    assert.match(browser.page().text, /<html lang="de"/)
  })
})

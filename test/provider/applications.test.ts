// A database makes a difference: consents, requests and tokens are rows that end together.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import * as client from 'openid-client'
import { loadConfig } from '../../src/core/config/load.ts'
import { settingsOfModules } from '../../src/core/module/settings.ts'
import { modules } from '../../src/modules.ts'
import { testApp } from '../app.ts'
import { asClient } from '../clients.ts'
import { pageBrowser } from '../page-browser.ts'
import {
  allow,
  application,
  callback,
  errorOf,
  issuer,
  open,
  providerApp,
  publicApplication,
  relyingParty,
  request,
  settle,
  signedIn,
  signIn,
  userinfo,
} from './application.ts'

suite('the provider', () => {
  test('is off by default, and then there is none', async () => {
    const app = await testApp()
    for (const path of [
      '/.well-known/openid-configuration',
      '/oauth/authorize',
      '/oauth/userinfo',
    ]) {
      const { status, body } = await app.call('GET', path)
      assert.deepEqual([status, body.error], [404, 'Route not found'], path)
    }
    const { body } = await app.call('GET', '/.well-known/jwks.json')
    assert.deepEqual(body.keys, [])
  })

  test('refuses another TOKEN_ISSUER than BASE_URL', async () => {
    const settings = await settingsOfModules(modules)
    const load = (more: Record<string, string>) => () =>
      loadConfig({ NODE_ENV: 'test', ADMIN_PASSWORD: 'the keeper of tests', ...more }, settings)
    const other = { PROVIDER: 'on', TOKEN_ISSUER: 'https://other.example.org' }
    assert.throws(load(other), /TOKEN_ISSUER must be BASE_URL with PROVIDER=on/)
    assert.doesNotThrow(load({ ...other, PROVIDER: 'off' }))
    assert.doesNotThrow(
      load({
        PROVIDER: 'on',
        TOKEN_ISSUER: 'http://localhost:3000',
        BASE_URL: 'http://localhost:3000',
      }),
    )
  })

  test('states its addresses by BASE_URL, whatever the request says', async () => {
    const app = await providerApp([application('notes')])
    const forged = {
      ...{ host: 'evil.example', 'x-forwarded-host': 'evil.example' },
      ...{ forwarded: 'host=evil.example', 'x-forwarded-proto': 'https' },
    }
    const { body } = await app.call('GET', '/.well-known/openid-configuration', { headers: forged })
    assert.equal(body.issuer, issuer)
    assert.ok(!JSON.stringify(body).includes('evil'))
    assert.deepEqual(
      [body.authorization_endpoint, body.token_endpoint, body.userinfo_endpoint, body.jwks_uri],
      ['authorize', 'token', 'userinfo']
        .map((name) => `${issuer}/oauth/${name}`)
        .concat(`${issuer}/.well-known/jwks.json`),
    )
    assert.deepEqual(
      [body.introspection_endpoint, body.revocation_endpoint, body.end_session_endpoint],
      ['introspect', 'revoke', 'end-session'].map((name) => `${issuer}/oauth/${name}`),
    )
    assert.deepEqual(body.id_token_signing_alg_values_supported, ['RS256'])
    const query = new URLSearchParams({
      client_id: 'notes',
      redirect_uri: callback,
      prompt: 'none',
      response_type: 'token',
    })
    const answer = await app.call('GET', `/oauth/authorize?${query}`, { headers: forged })
    assert.ok(!JSON.stringify(answer).includes('evil'))
  })
})

suite('requests of applications', async () => {
  const app = await providerApp([
    application('notes', { pkce: 'optional' }),
    application('other'),
    application('gone', { disabled: true }),
    publicApplication('browser'),
    application('audit', { may: ['introspect'], audiences: ['notes'] }),
  ])
  const rp = await relyingParty(app, 'notes')
  const spa = await relyingParty(app, 'browser', { secret: null })
  const ann = await app.account('ann')
  const bob = await app.account('bob')

  test('lead only to an address of the entry, spelled as there', async () => {
    const spellings = [
      ...['https://notes.example.org/Callback', 'https://NOTES.example.org/callback'],
      ...['https://notes.example.org/callback/', 'https://notes.example.org/../callback'],
      ...['https://notes.example.org/callback?x=1', 'https://notes.example.org/callback#x'],
      ...['https://a@notes.example.org/callback', 'https://notes.example.org:444/callback'],
      ...['http://notes.example.org/callback', 'https://notes.example.org.evil.example/callback'],
      ...['', 'javascript:alert(1)', '//notes.example.org/callback'],
    ]
    for (const redirect_uri of spellings) {
      const browser = pageBrowser(app)
      const { address } = await request(rp, { redirect_uri })
      assert.equal(await open(browser, address), null, redirect_uri)
      assert.equal(browser.page().status, 400)
      assert.equal(browser.heading(), 'The application asked for something wrong')
    }
    const { address } = await request(rp)
    address.searchParams.delete('redirect_uri')
    const browser = pageBrowser(app)
    assert.equal(await open(browser, address), null)
    assert.equal(browser.page().status, 400)
  })

  test('of a client that is none, or is disabled, get a page and no redirect', async () => {
    for (const id of ['nobody', 'gone', 'shop']) {
      const { address } = await request(rp)
      address.searchParams.set('client_id', id)
      const browser = pageBrowser(app)
      assert.equal(await open(browser, address), null)
      assert.equal(browser.page().status, 400)
    }
  })

  test('belong to one browser, and to the person who is signed in there', async () => {
    const browser = pageBrowser(app)
    const wanted = await request(rp)
    await open(browser, wanted.address)
    await signIn(browser, ann)
    const consent = browser.path()
    const elsewhere = pageBrowser(app)
    await elsewhere.open(consent)
    assert.equal(elsewhere.page().status, 400)
    const { action, fields } = browser.form('value="allow"')
    await browser.open('/signin?again=1')
    await browser.open('/signout')
    await browser.submit()
    const answer = await app.call('POST', action, { form: fields })
    assert.equal(answer.status, 400)
    assert.equal((await app.rows()).provider_consents?.length, 0)
    await browser.open('/signin')
    await signIn(browser, bob)
    await browser.open(consent)
    assert.equal(browser.page().status, 400, 'the sign-out ends what waited')
  })

  test('a form of another site, and one without the token of the session, allow nothing', async () => {
    const browser = pageBrowser(app)
    await open(browser, (await request(rp)).address)
    await signIn(browser, ann)
    const { action, fields } = browser.form('value="allow"')
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const foreign = { cookie, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const send = (headers: Record<string, string>, form: Record<string, string>) =>
      app.call('POST', action, { headers, form })
    assert.equal((await send(foreign, fields)).status, 403)
    assert.equal((await send({ cookie }, { ...fields, csrf_token: 'x' })).status, 403)
    assert.equal((await send({ cookie }, { decision: 'allow' })).status, 403)
    assert.equal((await app.rows()).provider_consents?.length, 0)
    await browser.submit({}, 'value="deny"')
    const at = new URL((await settle(browser)) ?? '')
    assert.equal(at.searchParams.get('error'), 'access_denied')
  })

  test('need a challenge, which counts; an entry can do without, and then none is accepted later', async () => {
    const browser = pageBrowser(app)
    const wanted = await request(spa)
    wanted.address.searchParams.delete('code_challenge')
    wanted.address.searchParams.delete('code_challenge_method')
    const error = new URL((await open(browser, wanted.address)) ?? '').searchParams.get('error')
    assert.equal(error, 'invalid_request')
    const without = await request(rp)
    for (const name of ['code_challenge', 'code_challenge_method']) {
      without.address.searchParams.delete(name)
    }
    await open(browser, without.address)
    let at = await signIn(browser, ann)
    at ??= await allow(browser)
    const code = new URL(at ?? '').searchParams.get('code') ?? ''
    const form = { grant_type: 'authorization_code', code, redirect_uri: callback }
    const redeemed = (more: object) =>
      app.call('POST', '/oauth/token', { headers: asClient('notes'), form: { ...form, ...more } })
    const forged = await redeemed({ code_verifier: without.verifier })
    assert.deepEqual([forged.status, forged.body.error], [400, 'invalid_grant'])
    assert.equal((await redeemed({})).status, 200)
  })

  test('can be pushed, and are used once', async () => {
    const { browser } = await signedIn(app, rp, ann)
    const { address } = await request(rp)
    const form = Object.fromEntries(address.searchParams)
    const pushed = await app.call('POST', '/oauth/par', { headers: asClient('notes'), form })
    assert.equal(pushed.status, 201, pushed.text)
    const query = new URLSearchParams({ client_id: 'notes', request_uri: pushed.body.request_uri })
    assert.match((await open(browser, `/oauth/authorize?${query}`)) ?? '', /code=/)
    assert.equal(await open(browser, `/oauth/authorize?${query}`), null)
    assert.equal(browser.page().status, 400)
  })

  test('what a parser refuses is told in the words of RFC 6749', async () => {
    const send = (body: string, type = 'application/x-www-form-urlencoded') =>
      app.call('POST', '/oauth/token', { headers: { 'content-type': type }, body })
    assert.deepEqual((await send('grant_type=x&grant_type=y')).body, { error: 'invalid_request' })
    assert.deepEqual((await send('{}', 'application/json')).body.error, 'invalid_request')
    assert.deepEqual((await send(`a=${'x'.repeat(20_000)}`)).body, { error: 'invalid_request' })
    assert.equal((await send('grant_type=password')).body.error, 'invalid_request')
  })

  test('introspection and revocation know the tokens: for the application and who may ask', async () => {
    const { tokens } = await signedIn(app, rp, ann)
    const ask = async (id: string, token = tokens.access_token) => {
      const call = { headers: asClient(id), form: { token } }
      return app.call('POST', '/oauth/introspect', call)
    }
    const { body } = await ask('audit')
    assert.equal(body.active, true)
    assert.deepEqual(
      [body.sub, body.username, body.client_id, body.aud, body.iss],
      [String(ann.userId), 'ann', 'notes', 'notes', issuer],
    )
    assert.deepEqual((await ask('audit', 'x'.repeat(43))).body, { active: false })
    assert.equal((await ask('other')).status, 403)
    const revoke = (id: string) =>
      app.call('POST', '/oauth/revoke', {
        headers: asClient(id),
        form: { token: tokens.refresh_token ?? '' },
      })
    assert.equal((await revoke('other')).status, 200)
    assert.equal((await userinfo(app, tokens.access_token)).status, 200, 'not its own')
    assert.equal((await revoke('notes')).status, 200)
    assert.equal((await userinfo(app, tokens.access_token)).status, 401)
    assert.deepEqual((await ask('audit')).body, { active: false })
  })
})

suite('a single-page application', async () => {
  const app = await providerApp([publicApplication('browser')])
  const [own, foreign] = ['https://notes.example.org', 'https://evil.example']
  const header = 'access-control-allow-origin'

  test('reaches the endpoints from its origin alone, and asks before', async () => {
    for (const path of ['/oauth/token', '/oauth/userinfo', '/oauth/par']) {
      const headers = { origin: own, 'access-control-request-method': 'POST' }
      const asked = await app.call('OPTIONS', path, { headers })
      assert.deepEqual([asked.status, asked.headers[header]], [204, own], path)
    }
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'browser' }
    const from = (origin: string) => app.call('POST', '/oauth/token', { headers: { origin }, form })
    const [ours, others] = [await from(own), await from(foreign)]
    assert.deepEqual([ours.body.error, ours.headers[header]], ['invalid_grant', own])
    assert.deepEqual([others.body.error, others.headers[header]], ['invalid_request', undefined])
    for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json']) {
      const { headers } = await app.call('GET', path, { headers: { origin: own } })
      assert.ok(['*', own].includes(String(headers[header])), path)
    }
  })
})

suite('who may use an application, and what it gets', async () => {
  const app = await providerApp([
    application('staff', { allow: ['EDITOR'] }),
    application('safe', { two_factor: true }),
    application('trusted', { consent: 'none', scopes: ['openid', 'profile', 'groups'] }),
    application('careful', { consent: 'always' }),
    application('quiet', { claims: { id_token: [], userinfo: ['groups'] } }),
  ])
  const ann = await app.account('ann')
  const eve = await app.account('eve', ['EDITOR'])

  test('an account without a role of the entry is told so, and gets nothing', async () => {
    const rp = await relyingParty(app, 'staff')
    const browser = pageBrowser(app)
    await open(browser, (await request(rp)).address)
    assert.equal(await signIn(browser, ann), null)
    assert.equal(browser.page().status, 403)
    assert.equal(browser.heading(), 'Notes is not open to you')
    await browser.submit({}, 'value="deny"')
    const at = new URL((await settle(browser)) ?? '')
    assert.equal(at.searchParams.get('error'), 'access_denied')
    const { tokens } = await signedIn(app, rp, eve)
    const json = { roles: ['USER'] }
    await app.call('PUT', '/api/admin/accounts/eve', { headers: app.basic(app.admin), json })
    assert.equal((await userinfo(app, tokens.access_token)).status, 401)
    const refreshed = await errorOf(client.refreshTokenGrant(rp, tokens.refresh_token ?? ''))
    assert.equal(refreshed, '400 invalid_grant')
  })

  test('an entry that wants two factors sends to the second one', async () => {
    const rp = await relyingParty(app, 'safe')
    const browser = pageBrowser(app)
    await open(browser, (await request(rp)).address)
    await signIn(browser, ann)
    assert.match(browser.path(), /^\/signin\?flow=/)
    assert.match(browser.heading(), /app|second|factor/i)
  })

  test('a consent is asked for once, always or never', async () => {
    const trusted = await relyingParty(app, 'trusted')
    const first = pageBrowser(app)
    await open(first, (await request(trusted, { scope: 'openid profile' })).address)
    assert.match((await signIn(first, ann)) ?? '', /code=/)
    const careful = await relyingParty(app, 'careful')
    const { browser } = await signedIn(app, careful, ann)
    assert.equal(await open(browser, (await request(careful)).address), null)
    assert.equal(browser.heading(), 'Sign in to Notes')
  })

  test('claims stand where the entry wants them', async () => {
    const rp = await relyingParty(app, 'quiet')
    const { tokens } = await signedIn(app, rp, ann)
    const names = Object.keys(tokens.claims() ?? {})
    assert.ok(!names.includes('groups') && !names.includes('preferred_username'), names.join())
    assert.ok(names.includes('auth_time') && names.includes('amr'), names.join())
    const { body } = await userinfo(app, tokens.access_token)
    assert.deepEqual(body, { sub: String(ann.userId), groups: ['USER'] })
  })

  test('the page of the account lists the applications and withdraws their access', async () => {
    const rp = await relyingParty(app, 'quiet')
    const { browser, tokens } = await signedIn(app, rp, ann)
    await browser.open('/account/applications')
    assert.equal(browser.heading(), 'Applications')
    await browser.submit({}, 'value="quiet"')
    assert.match(browser.page().text, /The access is withdrawn/)
    assert.equal((await userinfo(app, tokens.access_token)).status, 401)
    assert.equal(await open(browser, (await request(rp)).address), null)
    assert.equal(browser.heading(), 'Sign in to Notes')
    const { body } = await app.call('GET', '/api/account/export', { headers: app.basic(ann) })
    const names = body.data.applications.map((one: { client: string }) => one.client)
    assert.ok(!names.includes('quiet'), names.join())
  })
})

suite('a sign-out that an application asks for', async () => {
  const after = 'https://notes.example.org/bye'
  const app = await providerApp([
    application('notes', { post_logout_redirect_uris: [after] }),
    application('other'),
  ])
  const rp = await relyingParty(app, 'notes')
  const ann = await app.account('ann')

  test('is confirmed, ends the session and every token, and leads back', async () => {
    const { browser, tokens } = await signedIn(app, rp, ann)
    const other = await signedIn(app, await relyingParty(app, 'other'), ann, { browser })
    const address = client.buildEndSessionUrl(rp, {
      ...{ id_token_hint: tokens.id_token ?? '', post_logout_redirect_uri: after, state: 'x y' },
    })
    assert.equal(await open(browser, address), null)
    assert.equal(browser.heading(), 'Sign out?')
    assert.equal((await userinfo(app, tokens.access_token)).status, 200)
    await browser.submit()
    assert.equal(await settle(browser), `${after}?state=x+y`)
    for (const { access_token } of [tokens, other.tokens]) {
      assert.equal((await userinfo(app, access_token)).status, 401)
    }
    assert.equal(await open(browser, address), `${after}?state=x+y`, 'nobody is signed in')
  })

  test('leads to no other address, and believes no other token', async () => {
    const { tokens } = await signedIn(app, rp, ann)
    const hint = tokens.id_token ?? ''
    const wrong = [
      { id_token_hint: hint, post_logout_redirect_uri: `${after}/` },
      { id_token_hint: hint, post_logout_redirect_uri: 'https://evil.example' },
      { id_token_hint: `${hint.slice(0, -4)}AAAA`, post_logout_redirect_uri: after },
      { id_token_hint: hint, client_id: 'other', post_logout_redirect_uri: after },
      { id_token_hint: tokens.access_token, post_logout_redirect_uri: after },
      { client_id: 'nobody', post_logout_redirect_uri: after },
    ]
    for (const query of wrong) {
      const answer = await app.call('GET', `/oauth/end-session?${new URLSearchParams(query)}`)
      assert.equal(answer.status, 400, JSON.stringify(query))
    }
    const unknown = new URLSearchParams({ post_logout_redirect_uri: 'https://evil.example' })
    const answer = await app.call('GET', `/oauth/end-session?${unknown}`)
    assert.deepEqual([answer.status, answer.headers.location], [303, '/signout?done=1'])
  })
})

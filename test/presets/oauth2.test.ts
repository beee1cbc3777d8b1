// A database makes a difference: what a linked identity stores, and who is found by it.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { clockOfToday } from '../identity-provider.ts'
import { testBrowser } from '../test-browser.ts'
import { discordSite, githubSite, secret, settings, wikiSite } from './oauth2-sites.ts'
import { signInAt, wayBack } from './sign-in.ts'
import { world } from './world.ts'

const ann = {
  login: 'ann',
  id: 583231,
  name: 'Ann Lee',
  email: 'chosen@example.org',
  addresses: [
    { email: 'old@example.org', verified: true, primary: false, visibility: null },
    { email: 'ann@example.org', verified: true, primary: true, visibility: 'private' },
  ],
}
const zoe = {
  id: '80351110224678912',
  username: 'zoe',
  global_name: 'Zoe Doe',
  email: 'zoe@example.org',
  verified: true,
}

suite('sign-in by providers without ID tokens', async () => {
  const sites = await world()
  for (const site of [githubSite, discordSite, wikiSite]) sites.add(site(sites))
  const app = await testApp(settings, { clock: clockOfToday(), deps: { fetch: sites.fetch } })
  const usernameOf = async ({ browser }: Awaited<ReturnType<typeof signInAt>>) =>
    (await browser.call('GET', '/api/session')).body.username

  test('the request has PKCE and a state, and the scopes of the preset', async () => {
    const expected = {
      hub: ['https://github.com/login/oauth/authorize', 'read:user user:email'],
      chat: ['https://discord.com/oauth2/authorize', 'identify email'],
      wiki: ['https://wiki.example.org/authorize', undefined],
    }
    for (const [name, [address, scope]] of Object.entries(expected)) {
      const answer = await app.call('GET', `/oauth/${name}/login`)
      const { origin, pathname, searchParams } = new URL(String(answer.headers.location))
      const { state, code_challenge, client_id, ...rest } = Object.fromEntries(searchParams)
      assert.equal(origin + pathname, address)
      assert.deepEqual(rest, {
        redirect_uri: `http://127.0.0.1:3000/oauth/${name}/callback`,
        response_type: 'code',
        ...(scope && { scope }),
        code_challenge_method: 'S256',
      })
      for (const value of [state, code_challenge]) assert.match(value ?? '', /^[\w-]{43}$/)
      assert.ok(client_id)
    }
  })

  test('the first sign-in makes an account, the next ones find it by the permanent id', async () => {
    const first = await signInAt(app, sites, 'hub', ann)
    assert.equal(first.answer.status, 200, first.answer.text)
    const { body } = await first.browser.call('GET', '/api/session')
    assert.deepEqual([body.username, body.roles], ['ann', ['USER']])
    const user = await app.call('GET', `/users/${body.user_id}`, { headers: app.basic(app.admin) })
    assert.deepEqual(user.body, {
      id: Number(body.user_id),
      name: 'Ann Lee',
      email: 'ann@example.org',
    })
    const { identities = [] } = await app.rows()
    const stored = identities.map((row) => {
      const { issuer, subject } = row as { issuer: string; subject: string }
      return [issuer, subject]
    })
    assert.deepEqual(stored, [['https://github.com/login/oauth', '583231']])
    // The login and the address belong to others meanwhile.
    const renamed = { ...ann, login: 'lee', name: 'A. Lee', addresses: [] }
    assert.equal(await usernameOf(await signInAt(app, sites, 'hub', renamed)), 'ann')
    const heir = { ...ann, id: 583232 }
    assert.equal(await usernameOf(await signInAt(app, sites, 'hub', heir)), 'ann-2')
  })

  test('a snowflake is a text, and an address counts only if it is verified', async () => {
    const made = await signInAt(app, sites, 'chat', zoe)
    assert.equal(await usernameOf(made), 'zoe')
    const [identity] = (
      await app.call('GET', '/api/admin/accounts/zoe/identities', {
        headers: app.basic(app.admin),
      })
    ).body
    assert.deepEqual(
      [identity.provider, identity.issuer, identity.subject],
      ['chat', 'https://discord.com', zoe.id],
    )
    const changed = { ...zoe, username: 'somebody', email: 'ann@example.org', verified: false }
    assert.equal(await usernameOf(await signInAt(app, sites, 'chat', changed)), 'zoe')
    const { roles } = (await made.browser.call('GET', '/api/session')).body
    assert.deepEqual(roles, ['USER'])
  })

  test('a provider of no preset, by the fields that the settings name', async () => {
    const eve = { id: 7, nick: 'eve', real: 'Eve Poe', mail: 'eve@example.org', ok: true }
    assert.equal(await usernameOf(await signInAt(app, sites, 'wiki', eve)), 'eve')
    const renamed = { ...eve, nick: 'adam', mail: 'adam@example.org' }
    assert.equal(await usernameOf(await signInAt(app, sites, 'wiki', renamed)), 'eve')
  })

  test('an address names an account only where the provider says that it is verified', async () => {
    const person = { id: 8, nick: 'a:b', mail: 'owner@example.org', ok: true }
    const unproven = await usernameOf(await signInAt(app, sites, 'wiki', person))
    assert.notEqual(unproven, 'owner@example.org')
    const told = await testApp(
      { ...settings, OIDC_WIKI_EMAIL_VERIFIED_FIELD: 'query.me.ok' },
      { clock: clockOfToday(), deps: { fetch: sites.fetch } },
    )
    const again = await signInAt(told, sites, 'wiki', person)
    assert.equal(await usernameOf(again), 'owner@example.org')
    for (const ok of ['true', 1, {}, null]) {
      const other = { ...person, id: `other ${JSON.stringify(ok)}`, mail: 'x@example.org', ok }
      assert.notEqual(await usernameOf(await signInAt(told, sites, 'wiki', other)), other.mail)
    }
  })

  test('a person links a provider, and signs in by it', async () => {
    const bob = await app.account('bob')
    const session = await app.session(bob)
    const browser = testBrowser(app)
    browser.cookies.set('JSESSIONID', session.cookie.split('=')[1] ?? '')
    const begun = await browser.call('POST', '/api/account/identities', {
      headers: { 'x-csrf-token': session['x-csrf-token'] },
      json: { provider: 'hub', current_password: bob.password },
    })
    assert.equal(begun.status, 200)
    const person = { ...ann, id: 99, login: 'somebody' }
    const linked = await browser.call('GET', wayBack(sites, begun.body.url, person))
    assert.ok(linked.text.includes('<h1>Identity linked</h1>'), linked.text)
    assert.equal(await usernameOf(await signInAt(app, sites, 'hub', person)), 'bob')
  })

  test('the page shows each provider by the name that people know', async () => {
    const page = await testBrowser(app, 'text/html').call('GET', '/signin')
    for (const label of ['GitHub', 'Discord', 'wiki']) assert.ok(page.text.includes(label), label)
    const home = await app.call('GET', '/')
    assert.deepEqual(
      home.body.sign_in.map(({ name }: { name: string }) => name),
      ['hub', 'chat', 'wiki'],
    )
  })

  test('no token is kept, logged or accepted', async () => {
    const { browser } = await signInAt(app, sites, 'hub', ann)
    const token = sites.tokenOf(ann)
    const answer = await app.call('GET', '/users', {
      headers: { authorization: `Bearer ${token}` },
    })
    assert.deepEqual([answer.status, answer.body], [401, { error: 'Invalid or expired token' }])
    const kept = JSON.stringify([await app.rows(), app.log, browser.seen])
    for (const text of ['token-', 'refresh-1', secret]) assert.ok(!kept.includes(text), text)
  })

  test('a login there is never recent here, and cannot confirm a change', async () => {
    const { browser } = await signInAt(app, sites, 'hub', { ...ann, id: 12, login: 'kim' })
    const { csrf_token } = (await browser.call('GET', '/api/session')).body
    const answer = await browser.call('POST', '/api/account/identities', {
      headers: { 'x-csrf-token': csrf_token },
      json: { provider: 'chat' },
    })
    assert.deepEqual([answer.status, answer.body], [401, { error: 'Recent login required' }])
    const fresh = await app.call('GET', '/oauth/hub/login?again=1')
    assert.equal(new URL(String(fresh.headers.location)).searchParams.has('prompt'), false)
  })
})

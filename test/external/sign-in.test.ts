import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { digest } from '../../src/core/crypto/digest.ts'
import { passwordOf, testApp } from '../app.ts'
import { enrol, enrolAtProvider } from '../factor.ts'
import { clientSecret, clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'

/** Spec 4.4 and 5.4, against a certified provider over real HTTP. */
suite('4.4: sign-in through a provider', async () => {
  const idp = await identityProvider()
  const clock = clockOfToday()
  idp.clock = clock
  const app = await testApp({ ...settingsFor(idp), ...acme() }, { clock })

  /** The same provider cannot be two: this one is reached by another spelling, without discovery. */
  function acme(): Record<string, string> {
    const at = idp.issuer.replace('127.0.0.1', 'localhost')
    return {
      OIDC_PROVIDERS: 'acme',
      OIDC_ACME_ISSUER: at,
      OIDC_ACME_CLIENT_ID: 'public',
      OIDC_ACME_AUTHORIZATION_ENDPOINT: `${idp.issuer}/auth`,
      OIDC_ACME_TOKEN_ENDPOINT: `${idp.issuer}/token`,
      OIDC_ACME_JWKS_URI: `${idp.issuer}/jwks`,
    }
  }

  test('the authorization request has all that spec 4.4 names, and PKCE', async () => {
    const answer = await app.call('GET', '/oauth/login?return_to=/here')
    assert.equal(answer.status, 303)
    const { origin, pathname, searchParams } = new URL(String(answer.headers.location))
    assert.deepEqual([origin, pathname], [idp.issuer, '/auth'])
    const { state, nonce, code_challenge, ...rest } = Object.fromEntries(searchParams)
    assert.deepEqual(rest, {
      client_id: 'gatehouse',
      redirect_uri: 'http://127.0.0.1:3000/oauth/callback',
      response_type: 'code',
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    })
    for (const value of [state, nonce, code_challenge]) assert.match(value ?? '', /^[\w-]{43}$/)
    const cookie = String(answer.headers['set-cookie'])
    const flags = /^__Host-oauth=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/
    assert.match(cookie, flags)
    const [flow] = await app.deps.db.selectFrom('flows').selectAll().execute()
    assert.equal(flow?.id, digest(state ?? ''))
    const stored = JSON.stringify(flow)
    for (const secret of [state, nonce, answer.cookies['__Host-oauth']]) {
      assert.ok(secret && !stored.includes(secret))
    }
  })

  test('the first sign-in makes user, account and session, and lands on a page of ours', async () => {
    const browser = testBrowser(app)
    const answer = await browser.open('/oauth/login?return_to=/here%3Fa=1%26b=2')
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['content-type'], 'text/html; charset=utf-8')
    assert.ok(
      answer.text.includes('<meta http-equiv="refresh" content="0; url=/here?a=1&amp;b=2"/>'),
    )
    assert.match(String(answer.headers['set-cookie']), /^JSESSIONID=.*SameSite=Strict$/)
    const { status, body } = await browser.call('GET', '/api/session')
    assert.deepEqual([status, body.username, body.roles], [200, 'ann', ['USER']])
    const { passwords = [] } = await app.rows()
    const owners = passwords.map((row) => (row as { account: number }).account)
    assert.deepEqual(owners, [app.admin.userId], 'who is signed up has no password')
    const users = await app.call('GET', `/users/${body.user_id}`, {
      headers: app.basic(app.admin),
    })
    // Neither stands in the ID token of this provider: UserInfo was asked.
    assert.deepEqual(users.body, {
      id: Number(body.user_id),
      name: 'Ann Lee',
      email: 'ann@example.org',
    })
    assert.ok(idp.asked.includes('/me'))
    const shown = `${answer.text} ${browser.seen.join(' ')} ${JSON.stringify(app.log)}`
    for (const secret of [clientSecret, 'eyJ']) assert.ok(!shown.includes(secret), secret)
  })

  test('the second sign-in is the same account, in a new session, also without sign-up', async () => {
    const strict = await testApp(settingsFor(idp, { OIDC_SIGN_UP: 'off' }), { clock })
    const browser = testBrowser(strict)
    const refused = await browser.open('/oauth/login')
    assertRefusal(refused, 403, 'Access denied')
    const again = testBrowser(app)
    await again.open('/oauth/login')
    const { body } = await again.call('GET', '/api/session')
    assert.equal(body.username, 'ann')
    assert.equal((await app.rows()).identities?.length, 1)
    assert.deepEqual((await strict.rows()).identities, [])
  })

  test('a public client without discovery: by endpoints of the settings', async () => {
    const { OIDC_ISSUER, OIDC_CLIENT_SECRET: _, ...rest } = settingsFor(idp)
    const client = await testApp(
      {
        ...rest,
        OIDC_ISSUER,
        OIDC_CLIENT_ID: 'public',
        OIDC_AUTHORIZATION_ENDPOINT: `${idp.issuer}/auth`,
        OIDC_TOKEN_ENDPOINT: `${idp.issuer}/token`,
        OIDC_USERINFO_ENDPOINT: `${idp.issuer}/me`,
        OIDC_JWKS_URI: `${idp.issuer}/jwks`,
      },
      { clock },
    )
    idp.asked.length = 0
    const answer = await testBrowser(client).open('/oauth/login')
    assert.equal(answer.status, 200, answer.text)
    assert.ok(!idp.asked.includes('/.well-known/openid-configuration'))
  })

  test('client_secret_post, below the name of a provider, and roles from its claim', async () => {
    idp.person = { ...ann, sub: 'eve-1', preferred_username: 'ann', roles: ['ROLE_ADMIN', 'x'] }
    const named = Object.entries(settingsFor(idp)).map(([name, value]) => [
      name.replace('OIDC_', 'OIDC_ACME_'),
      value,
    ])
    const client = await testApp(
      {
        ...Object.fromEntries(named),
        OIDC_PROVIDERS: 'acme',
        OIDC_ACME_CLIENT_ID: 'poster',
        OIDC_ACME_CLIENT_AUTH: 'post',
        OIDC_ACME_SCOPE: 'openid profile email roles',
      },
      { clock },
    )
    await client.account('ann')
    const browser = testBrowser(client)
    assert.equal((await browser.open('/oauth/acme/login')).status, 200)
    const { body } = await browser.call('GET', '/api/session')
    assert.deepEqual([body.username, body.roles], ['ann-2', ['ADMIN']])
    for (const path of ['/oauth/login', '/oauth/callback', '/oauth/logout', '/oauth/other/login'])
      assertRefusal(await client.call('GET', path), 404, 'Route not found', path)
    idp.person = ann
  })

  test('a username or an e-mail address that breaks the rules', async () => {
    const email = { email: 'Zoe@example.org', email_verified: true }
    idp.person = { sub: 'x:1', name: '', ...email, preferred_username: 'a:b' }
    const browser = testBrowser(app)
    await browser.open('/oauth/login')
    assert.equal((await browser.call('GET', '/api/session')).body.username, 'zoe@example.org')
    idp.person = { sub: 'no-mail', email: 'nowhere', preferred_username: 'nomail' }
    const before = await app.rows('flows')
    assertRefusal(await testBrowser(app).open('/oauth/login'), 403, 'Access denied')
    assert.deepEqual(await app.rows('flows'), before)
    idp.person = ann
  })

  test('who declines at the provider gets 403, and nothing is made', async () => {
    idp.person = null
    const before = await app.rows('flows')
    const browser = testBrowser(app)
    assertRefusal(await browser.open('/oauth/login'), 403, 'Access denied')
    assert.deepEqual(await app.rows('flows'), before)
    assert.equal(browser.cookies.has('JSESSIONID'), false)
    idp.person = ann
  })

  test('the flags of the account count as behind a password', async () => {
    const headers = app.basic(app.admin)
    const flags: readonly [object, object, number, string][] = [
      [{ locked: true }, { locked: false }, 403, 'Access denied'],
      [{ active: false }, { active: true }, 403, 'Access denied'],
      [{ must_change: true }, { must_change: false }, 403, 'Password change required'],
    ]
    for (const [on, off, status, error] of flags) {
      await app.call('PUT', '/api/admin/accounts/ann', { headers, json: on })
      const before = await app.rows('flows')
      assertRefusal(await testBrowser(app).open('/oauth/login'), status, error)
      assert.deepEqual(await app.rows('flows'), before)
      await app.call('PUT', '/api/admin/accounts/ann', { headers, json: off })
    }
  })

  test('a role that asks for a second factor yields the right to enrol, and nothing else', async () => {
    const more = { OIDC_DEFAULT_ROLES: 'EDITOR', REQUIRE_SECOND_FACTOR: 'EDITOR' }
    const strict = await testApp(settingsFor(idp, more), { clock })
    const browser = testBrowser(strict)
    const answer = await browser.open('/oauth/login')
    const { enrolment_token } = answer.body
    assertRefusal(answer, 403, 'Second factor enrolment required', '', { enrolment_token })
    assert.equal(browser.cookies.has('JSESSIONID'), false)
    await enrol(strict, { authorization: `Bearer ${enrolment_token}` })
    clock.advance(30)
    const page = await browser.open('/oauth/login')
    assert.ok(page.text.includes('action="/oauth/second-factor"'))
  })

  test('an account with a second factor meets it behind the provider', async () => {
    idp.person = { ...ann, sub: 'fay-1', preferred_username: 'fay' }
    const first = testBrowser(app)
    await first.open('/oauth/login')
    const { code } = await enrolAtProvider(app, first)
    clock.advance(30)

    const browser = testBrowser(app)
    const page = await browser.open('/oauth/login?return_to=/here')
    assert.equal(page.status, 200)
    assert.ok(page.text.includes('<form method="post" action="/oauth/second-factor" novalidate>'))
    assert.equal(browser.cookies.has('JSESSIONID'), false)
    const send = (form: Record<string, string>) =>
      browser.call('POST', '/oauth/second-factor', { form })
    assertRefusal(await send({}), 401, 'Second factor required', '', { second_factor: 'totp' })
    assertRefusal(await send({ totp: '000000' }), 401, 'Invalid credentials')
    const strangers = testBrowser(app)
    const foreign = await strangers.call('POST', '/oauth/second-factor', { form: { totp: code() } })
    assertRefusal(foreign, 400, 'Sign-in failed')
    const done = await send({ totp: code() })
    assert.equal(done.status, 200)
    assert.ok(done.text.includes('content="0; url=/here"'))
    assert.equal((await browser.call('GET', '/api/session')).body.username, 'fay')
    assertRefusal(await send({ totp: code(1) }), 400, 'Sign-in failed')

    clock.advance(60)
    const script = testBrowser(app)
    await script.open('/oauth/login')
    const json = await script.call('POST', '/oauth/second-factor', { json: { totp: code() } })
    assert.deepEqual(Object.keys(json.body), ['message', 'csrf_token'])
    idp.person = ann
  })

  test('a linked identity signs in to the account it was linked to, until it is unlinked', async () => {
    idp.person = { ...ann, sub: 'bob-at-idp', preferred_username: 'somebody' }
    const bob = await app.account('bob')
    const session = await app.session(bob)
    const browser = testBrowser(app)
    browser.cookies.set('JSESSIONID', session.cookie.split('=')[1] ?? '')
    const headers = { 'x-csrf-token': session['x-csrf-token'] }
    const begun = await browser.call('POST', '/api/account/identities', {
      headers,
      json: { provider: 'default', current_password: bob.password },
    })
    assert.equal(begun.status, 200)
    assert.deepEqual(Object.keys(begun.body), ['url'])
    const landed = await browser.open(begun.body.url)
    assert.equal(landed.status, 200)
    assert.ok(
      landed.text.includes('<h1>Identity linked</h1>') && !landed.text.includes('signed in'),
    )
    const list = await browser.call('GET', '/api/account/identities')
    const [identity] = list.body
    assert.deepEqual(list.body, [
      {
        id: identity.id,
        provider: 'default',
        issuer: idp.issuer,
        subject: 'bob-at-idp',
        created_at: identity.created_at,
      },
    ])
    assert.ok(Math.abs(Date.parse(identity.created_at) - clock.now()) < 60_000)
    const other = testBrowser(app)
    await other.open('/oauth/login')
    assert.equal((await other.call('GET', '/api/session')).body.username, 'bob')

    // Another account cannot have it, nor take it away.
    const thirdPerson = await app.account('carl')
    const carl = await app.session(thirdPerson)
    const thief = testBrowser(app)
    const begunToo = await thief.call('POST', '/api/account/identities', {
      headers: carl,
      json: { provider: 'default', current_password: thirdPerson.password },
    })
    const before = await app.rows('flows')
    assertRefusal(await thief.open(begunToo.body.url), 409, 'Identity already linked')
    const path = `/api/account/identities/${identity.id}`
    assertRefusal(await app.call('DELETE', path, { headers: carl }), 404, 'Identity not found')
    assert.deepEqual(await app.rows('flows'), before)

    const proof = { current_password: bob.password }
    const unlinked = await browser.call('DELETE', path, { headers, json: proof })
    assert.deepEqual([unlinked.status, unlinked.body], [200, { message: 'Identity unlinked' }])
    assert.deepEqual((await browser.call('GET', '/api/account/identities')).body, [])
    assertRefusal(await browser.call('DELETE', path, { headers }), 404, 'Identity not found')
    idp.person = ann
  })

  test('linking wants a provider and a recent login, and unlinking too', async () => {
    const dan = await app.account('dan')
    const headers = await app.bearer(dan)
    const link = (provider: string) =>
      app.call('POST', '/api/account/identities', { headers, json: { provider } })
    const details = [{ path: ['provider'], message: 'is no provider to sign in by' }]
    assertRefusal(await link('nobody'), 400, 'Validation failed', '', { details })
    clock.advance(901)
    assertRefusal(await link('default'), 401, 'Recent login required')
    const gone = await app.call('DELETE', '/api/account/identities/1', { headers })
    assertRefusal(gone, 401, 'Recent login required')
  })

  test('RP-initiated logout: the session ends here, and the browser goes on to the provider', async () => {
    const browser = testBrowser(app)
    await browser.open('/oauth/login')
    const { csrf_token } = (await browser.call('GET', '/api/session')).body
    const form = { csrf_token: String(csrf_token) }
    const answer = await browser.call('POST', '/oauth/logout', { form })
    assert.equal(answer.status, 303)
    const { pathname, searchParams } = new URL(String(answer.headers.location))
    assert.equal(pathname, '/session/end')
    assert.deepEqual(Object.fromEntries(searchParams), {
      client_id: 'gatehouse',
      post_logout_redirect_uri: 'http://127.0.0.1:3000/',
    })
    assert.equal((await browser.call('GET', '/api/session')).status, 401)
    const plain = await app.call('POST', '/oauth/acme/logout', { form: {} })
    assert.deepEqual([plain.status, plain.headers.location], [303, '/'])
  })

  test('a password that was never set logs in to no account that was made so', async () => {
    for (const password of ['', passwordOf('ann'), 'null', 'undefined']) {
      const answer = await app.call('POST', '/login', { json: { username: 'ann', password } })
      assertRefusal(answer, 401, 'Invalid credentials')
    }
  })

  test('a sign-in that was not finished is purged', async () => {
    await app.call('GET', '/oauth/login')
    clock.advance(601)
    await app.app.jobs.find(({ name }) => name === 'sign-ins under way')?.run()
    assert.deepEqual((await app.rows()).flows, [])
  })
})

const ann = {
  sub: 'ann-1',
  name: 'Ann Lee',
  email: 'ann@example.org',
  preferred_username: 'ann',
} as const

import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { suite, test } from 'node:test'
import { parseReturnTo } from '../../src/modules/flows/return-to.ts'
import { type Answer, testApp } from '../app.ts'
import { forge, hs256, type Json } from '../forge.ts'
import {
  clientSecret,
  clockOfToday,
  es256,
  identityProvider,
  settingsFor,
} from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { type TestBrowser, testBrowser } from '../test-browser.ts'

suite('sign-in through a provider under attack', async () => {
  const idp = await identityProvider()
  const other = await identityProvider()
  const clock = clockOfToday()
  const settings = {
    ...settingsFor(idp),
    OIDC_PROVIDERS: 'acme',
    OIDC_ACME_ISSUER: other.issuer,
    OIDC_ACME_CLIENT_ID: 'public',
    OIDC_ACME_SIGN_UP: 'on',
  }
  const app = await testApp(settings, { clock })

  /** As far as the address that the provider sends the browser back to. */
  async function comeBack(browser = testBrowser(app), path = '/oauth/login') {
    const { headers } = await browser.call('GET', path)
    return { browser, url: await browser.until(String(headers.location)) }
  }
  const openAt = (browser: TestBrowser, url: URL, change: (query: URLSearchParams) => void) => {
    const changed = new URL(url)
    change(changed.searchParams)
    return browser.call('GET', `${changed.pathname}${changed.search}`)
  }
  const keep = () => {}

  async function assertNothing(attempt: () => Promise<Answer>, status: number, error: string) {
    const before = await app.rows('flows')
    const answer = await attempt()
    assertRefusal(answer, status, error)
    assert.equal(answer.cookies.JSESSIONID, undefined)
    assert.deepEqual(await app.rows('flows'), before)
  }

  const wrongStates: Readonly<Record<string, (query: URLSearchParams) => void>> = {
    wrong: (query) => query.set('state', 'x'.repeat(43)),
    empty: (query) => query.set('state', ''),
    missing: (query) => query.delete('state'),
    doubled: (query) => query.append('state', 'x'.repeat(43)),
    huge: (query) => query.set('state', 'x'.repeat(8000)),
    'with NUL': (query) => query.set('state', `${query.get('state')}\0`),
  }
  for (const [what, change] of Object.entries(wrongStates)) {
    test(`T80: a state that is ${what} is refused`, async () => {
      const { browser, url } = await comeBack()
      await assertNothing(() => openAt(browser, url, change), 400, 'Sign-in failed')
    })
  }

  test('T80: the state of another browser is refused, and goes on for its own', async () => {
    const { browser, url } = await comeBack()
    const { browser: stranger } = await comeBack()
    await assertNothing(() => openAt(testBrowser(app), url, keep), 400, 'Sign-in failed')
    await assertNothing(() => openAt(stranger, url, keep), 400, 'Sign-in failed')
    assert.equal((await openAt(browser, url, keep)).status, 200)
  })

  test('T80: a state is used once, and not after ten minutes', async () => {
    const { browser, url } = await comeBack()
    assert.equal((await openAt(browser, url, keep)).status, 200)
    await assertNothing(() => openAt(browser, url, keep), 400, 'Sign-in failed')
    const late = await comeBack()
    clock.advance(600)
    await assertNothing(() => openAt(late.browser, late.url, keep), 400, 'Sign-in failed')
  })

  test('T80: an answer without any beginning, or with an error in it, signs no user in', async () => {
    for (const path of [
      '/oauth/callback',
      '/oauth/callback?code=x&state=y',
      '/oauth/callback?error=x',
    ])
      await assertNothing(() => testBrowser(app).call('GET', path), 400, 'Sign-in failed')
    const errors: readonly [string, number, string][] = [
      ['access_denied', 403, 'Access denied'],
      ['login_required', 400, 'Sign-in failed'],
      ['toString', 400, 'Sign-in failed'],
      ['server_error', 502, 'Identity provider error'],
      ['temporarily_unavailable', 503, 'Service unavailable'],
    ]
    for (const [error, status, text] of errors) {
      const { browser, url } = await comeBack()
      const answer = () =>
        openAt(browser, url, (query) => {
          query.delete('code')
          query.set('error', error)
          query.set('error_description', '<script>alert(1)</script>')
        })
      await assertNothing(answer, status, text)
      await assertNothing(() => openAt(browser, url, keep), 400, 'Sign-in failed')
    }
  })

  test('T81: the code of another session is worth nothing: PKCE binds it', async () => {
    const [mine, theirs] = [await comeBack(), await comeBack()]
    const stolen = theirs.url.searchParams.get('code') ?? ''
    await assertNothing(
      () => openAt(mine.browser, mine.url, (query) => query.set('code', stolen)),
      400,
      'Sign-in failed',
    )
    for (const code of ['', 'x', 'x'.repeat(4000)]) {
      const { browser, url } = await comeBack()
      const attempt = () => openAt(browser, url, (query) => query.set('code', code))
      await assertNothing(attempt, 400, 'Sign-in failed')
    }
    const { browser, url } = await comeBack()
    const without = () => openAt(browser, url, (query) => query.delete('code'))
    await assertNothing(without, 400, 'Sign-in failed')
  })

  test('T82: another `iss` in the answer, or none, is refused', async () => {
    for (const change of [
      (query: URLSearchParams) => query.set('iss', other.issuer),
      (query: URLSearchParams) => query.set('iss', `${idp.issuer}/`),
      (query: URLSearchParams) => query.delete('iss'),
    ]) {
      const { browser, url } = await comeBack()
      await assertNothing(() => openAt(browser, url, change), 400, 'Sign-in failed')
    }
  })

  test('T82: two providers cannot be mixed up', async () => {
    const first = await comeBack()
    const at = new URL(first.url.href.replace('/oauth/callback', '/oauth/acme/callback'))
    await assertNothing(() => openAt(first.browser, at, keep), 400, 'Sign-in failed')
    const second = await comeBack(testBrowser(app), '/oauth/acme/login')
    const back = new URL(second.url.href.replace('/oauth/acme/callback', '/oauth/callback'))
    await assertNothing(() => openAt(second.browser, back, keep), 400, 'Sign-in failed')
    assert.equal((await openAt(second.browser, second.url, keep)).status, 200)
  })

  /** The token endpoint in other hands: answers with this ID token. */
  async function withIdToken(make: (nonce: string) => string, more: Json = {}): Promise<Answer> {
    begun = testBrowser(app)
    const { headers } = await begun.call('GET', '/oauth/login')
    const location = new URL(String(headers.location))
    const nonce = location.searchParams.get('nonce') ?? ''
    const url = await begun.until(location.href)
    const answer = { access_token: 'x', token_type: 'Bearer', expires_in: 60, ...more }
    idp.instead.set('/token', (_, response) =>
      sendJson(response, { ...answer, id_token: make(nonce) }),
    )
    const before = await app.rows('flows')
    const back = await openAt(begun, url, keep)
    idp.instead.clear()
    if (back.status !== 200) assert.deepEqual(await app.rows('flows'), before)
    return back
  }
  let begun = testBrowser(app)
  const idClaims = (nonce: string, changes: Json = {}) =>
    idp.claims({
      sub: 'ann-1',
      aud: 'gatehouse',
      nonce,
      name: 'A',
      email: 'a@example.org',
      ...changes,
    })
  const jwt = { typ: 'JWT' }
  const now = () => Math.floor(clock.now() / 1000)

  test('T82: the ID token of the provider as it should be is accepted', async () => {
    const answer = await withIdToken((nonce) => idp.signed(idClaims(nonce), jwt))
    assert.equal(answer.status, 200)
    const others: readonly Json[] = [
      { aud: ['gatehouse', 'other'], azp: 'gatehouse' },
      { iat: now() + 20 }, // clocks go apart
      { sub: '\u{1f511}'.repeat(255), email: 'key@example.org' },
    ]
    for (const changes of others) {
      const made = await withIdToken((nonce) => idp.signed(idClaims(nonce, changes), jwt))
      assert.equal(made.status, 200, JSON.stringify(changes))
    }
  })

  const times: readonly [string, () => number | undefined, boolean][] = [
    ['now', now, true],
    ['twenty seconds from now: clocks go apart', () => now() + 20, true],
    ['not stated', () => undefined, false],
    ['an hour ago', () => now() - 3600, false],
    ['zero', () => 0, false],
    ['in a minute', () => now() + 60, false],
    ['in milliseconds', () => clock.now() - 86_400_000, false],
  ]
  for (const [what, at, isRecent] of times) {
    test(`a login whose auth_time is ${what} is ${isRecent ? '' : 'not '}recent`, async () => {
      const changes = { auth_time: at() }
      const { status } = await withIdToken((nonce) => idp.signed(idClaims(nonce, changes), jwt))
      assert.equal(status, 200)
      const answer = await begun.call('GET', '/api/account/export')
      if (isRecent) assert.equal(answer.status, 200)
      else assertRefusal(answer, 401, 'Recent login required')
    })
  }

  const wrongTokens: Readonly<Record<string, (nonce: string) => string>> = {
    'with the nonce of another': (nonce) => idp.signed(idClaims(`${nonce}x`), jwt),
    'without a nonce': (nonce) => idp.signed(idClaims(nonce, { nonce: undefined }), jwt),
    'for another client': (nonce) => idp.signed(idClaims(nonce, { aud: 'other' }), jwt),
    'for several, without azp': (nonce) =>
      idp.signed(idClaims(nonce, { aud: ['gatehouse', 'other'] }), jwt),
    'for several, with azp of another': (nonce) =>
      idp.signed(idClaims(nonce, { aud: ['gatehouse', 'other'], azp: 'other' }), jwt),
    'of another issuer': (nonce) => idp.signed(idClaims(nonce, { iss: other.issuer }), jwt),
    'without a subject': (nonce) => idp.signed(idClaims(nonce, { sub: undefined }), jwt),
    'with an empty subject': (nonce) => idp.signed(idClaims(nonce, { sub: '' }), jwt),
    'with a number as subject': (nonce) => idp.signed(idClaims(nonce, { sub: 1 }), jwt),
    'with a NUL in the subject': (nonce) => idp.signed(idClaims(nonce, { sub: 'a\0b' }), jwt),
    'with a lone surrogate in the subject': (nonce) =>
      idp.signed(idClaims(nonce, { sub: 'a\ud800' }), jwt),
    'with a subject of 256 characters': (nonce) =>
      idp.signed(idClaims(nonce, { sub: 'x'.repeat(256) }), jwt),
    'of tomorrow': (nonce) => idp.signed(idClaims(nonce, { iat: now() + 86_400 }), jwt),
    'of the end of time': (nonce) => idp.signed(idClaims(nonce, { iat: 1e300 }), jwt),
    'without iat': (nonce) => idp.signed(idClaims(nonce, { iat: undefined }), jwt),
    'with a text as auth_time': (nonce) =>
      idp.signed(idClaims(nonce, { auth_time: String(now()) }), jwt),
    expired: (nonce) => idp.signed(idClaims(nonce, { exp: 1000 }), jwt),
    'without exp': (nonce) => idp.signed(idClaims(nonce, { exp: undefined }), jwt),
    'signed by another provider': (nonce) => other.signed(idClaims(nonce), jwt),
    'not signed': (nonce) =>
      `${idp.signed(idClaims(nonce), { ...jwt, alg: 'none' }).replace(/[^.]+$/, '')}`,
    'signed with the secret of the client': (nonce) =>
      forge({ ...jwt, alg: 'HS256' }, idClaims(nonce), hs256(clientSecret)),
    'with a critical extension': (nonce) =>
      idp.signed(idClaims(nonce), { ...jwt, crit: ['x'], x: 1 }),
    'with a key of its own': (nonce) => {
      const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const jwk = publicKey.export({ format: 'jwk' })
      return forge({ ...jwt, alg: 'ES256', jwk }, idClaims(nonce), es256(privateKey))
    },
    'whose issuer ends in a slash': (nonce) =>
      idp.signed(idClaims(nonce, { iss: `${idp.issuer}/` }), jwt),
    'tampered with': (nonce) => {
      const [header, , signature] = idp.signed(idClaims(nonce), jwt).split('.')
      const claims = Buffer.from(JSON.stringify(idClaims(nonce, { sub: 'admin' })))
      return `${header}.${claims.toString('base64url')}.${signature}`
    },
    'that is no token': () => 'x',
  }
  for (const [what, make] of Object.entries(wrongTokens)) {
    test(`T82: an ID token ${what} is refused`, async () => {
      assertRefusal(await withIdToken(make), 502, 'Identity provider error')
      assert.equal(begun.cookies.has('JSESSIONID'), false)
    })
  }

  test('T82: UserInfo of another subject is refused', async () => {
    idp.instead.set('/me', (_, response) =>
      sendJson(response, { sub: 'admin', email: 'admin@example.org', name: 'Admin' }),
    )
    const { browser, url } = await comeBack()
    await assertNothing(() => openAt(browser, url, keep), 502, 'Identity provider error')
    idp.instead.clear()
  })

  test('T18: at sign-in, the e-mail address or name of an account does not open it', async () => {
    const amy = await app.account('amy', ['ADMIN'], { email: 'amy@example.org' })
    idp.person = {
      sub: 'mallory',
      name: 'Amy',
      email: 'amy@example.org',
      email_verified: true,
      preferred_username: 'amy',
    }
    const { browser, url } = await comeBack()
    assert.equal((await openAt(browser, url, keep)).status, 200)
    const { body } = await browser.call('GET', '/api/session')
    assert.notEqual(body.user_id, String(amy.userId))
    assert.deepEqual([body.username, body.roles], ['amy-2', ['USER']])
  })

  test('T85: no Host header gets into an address', async () => {
    for (const headers of [
      { host: 'evil.example' },
      { 'x-forwarded-host': 'evil.example', forwarded: 'host=evil.example' },
    ]) {
      const logOut = { headers, form: {} }
      for (const answer of [
        await app.call('GET', '/oauth/login', { headers }),
        await app.call('POST', '/oauth/logout', logOut),
      ]) {
        assert.equal(answer.status, 303)
        assert.ok(!JSON.stringify(answer.headers).includes('evil'))
      }
    }
  })

  const elsewhere = [
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    'https:evil.example',
    'https://evil.example/',
    '/%09//evil.example',
    '%09//evil.example',
    '/%0a/evil.example',
    '/%5cevil.example',
    '/%2fevil.example',
    '/%2F%2Fevil.example',
    '\t//evil.example',
    '/\n/evil.example',
    ' //evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    'evil.example',
    '/\0',
    '/\u0085/x',
    '',
    `/${'x'.repeat(2048)}`,
    '/\ud800',
  ]
  test('T86: a landing place elsewhere counts as /', () => {
    for (const place of elsewhere) assert.equal(parseReturnTo(place), '/', JSON.stringify(place))
    for (const place of [undefined, null, 5, ['/a', '/b'], {}])
      assert.equal(parseReturnTo(place), '/')
    for (const place of ['/', '/a', '/a?b=c&d=e#f', '/a//b', '/a b', '/a%20b', '/?next=https://x'])
      assert.equal(parseReturnTo(place), place)
    assert.equal(parseReturnTo('/ä'), '/%C3%A4') // as a header can hold it
  })

  test('T86: what lands in the page cannot leave its attribute', async () => {
    idp.person = {
      sub: 'once',
      name: 'Once',
      email: 'once@example.org',
      preferred_username: 'once',
    }
    for (const [place, shown] of [
      ['//evil.example', '/'],
      ['/"><script>alert(1)</script>', '/&quot;>&lt;script>alert(1)&lt;/script>'],
      ["/' onload='x", "/' onload='x"], // between double quotes
    ] as const) {
      const browser = testBrowser(app)
      const answer = await browser.open(`/oauth/login?return_to=${encodeURIComponent(place)}`)
      assert.equal(answer.status, 200)
      assert.ok(answer.text.includes(`content="0; url=${shown}"`), answer.text)
      assert.equal(answer.text.match(/<script/g)?.length, 1, 'the module of the frame')
      assert.match(
        answer.text,
        /<script type="module" src="\/assets\/[\w-]+\/pages\.js"><\/script>/,
      )
    }
  })

  test('linking is bound to the browser that began it, and to the account as it was', async () => {
    idp.person = { sub: 'victim' }
    const mallory = await app.account('mallory')
    const browser = testBrowser(app)
    const begin = () =>
      browser.call('POST', '/api/account/identities', {
        headers: app.basic(mallory),
        json: { provider: 'default' },
      })
    // A victim who opens the attacker's address: its own identity must not open the attacker's account.
    const victim = testBrowser(app)
    const url = await victim.until((await begin()).body.url)
    await assertNothing(() => openAt(victim, url, keep), 400, 'Sign-in failed')
    const mine = await browser.until((await begin()).body.url)
    await app.call('PUT', '/api/admin/accounts/mallory', {
      headers: app.basic(app.admin),
      json: { locked: true },
    })
    await app.call('PUT', '/api/admin/accounts/mallory', {
      headers: app.basic(app.admin),
      json: { locked: false },
    })
    await assertNothing(() => openAt(browser, mine, keep), 400, 'Sign-in failed')
  })

  test('linking ends with the session that began it: a later session links nothing', async () => {
    idp.person = { sub: 'next-at-this-browser' }
    const eve = await app.account('eve')
    const next = await app.account('next')
    const leave: readonly ((browser: TestBrowser) => Promise<Answer>)[] = [
      (browser) => browser.call('POST', '/logout'),
      (browser) => browser.call('POST', '/login', { json: { ...next, mode: 'session' } }),
    ]
    for (const goes of leave) {
      const browser = testBrowser(app)
      const login = await browser.call('POST', '/login', { json: { ...eve, mode: 'session' } })
      const begun = await browser.call('POST', '/api/account/identities', {
        headers: { 'x-csrf-token': login.body.csrf_token },
        json: { provider: 'default', current_password: eve.password },
      })
      const url = await browser.until(begun.body.url)
      assert.equal((await goes(browser)).status, 200)
      await assertNothing(() => openAt(browser, url, keep), 400, 'Sign-in failed')
    }
  })

  test('a foreign page can neither send the second factor nor preview the callback', async () => {
    const cross = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const post = await app.call('POST', '/oauth/second-factor', { headers: cross, form: {} })
    assertRefusal(post, 403, 'Access denied')
    const { browser, url } = await comeBack()
    const look = await browser.call('HEAD', `${url.pathname}${url.search}`)
    assert.equal(look.status, 404)
    idp.person = {
      sub: 'once',
      name: 'Once',
      email: 'once@example.org',
      preferred_username: 'once',
    }
    assert.notEqual((await openAt(browser, url, keep)).status, 400)
  })
})

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

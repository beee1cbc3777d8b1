// A database makes a difference: the end of the session is stored before the browser goes on.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { pageBrowser } from '../page-browser.ts'
import { assertPage, assertRefusal } from '../refusal.ts'
import { navigation } from '../test-browser.ts'

suite('signing out here and at an identity provider', async () => {
  const idp = await identityProvider()
  const acme = await identityProvider()
  const app = await testApp(
    {
      ...settingsFor(idp),
      OIDC_PROVIDERS: 'acme',
      OIDC_ACME_ISSUER: acme.issuer,
      OIDC_ACME_CLIENT_ID: 'gatehouse',
    },
    { clock: clockOfToday() },
  )
  const ann = await app.account('ann')
  const sessions = () => app.rows('sessions')
  const sessionOf = async () => {
    const { cookie, csrf } = await signedIn()
    return { headers: { cookie, accept: navigation }, csrf }
  }
  async function signedIn() {
    const { cookie } = await app.session(ann)
    const { body } = await app.call('GET', '/api/session', { headers: { cookie } })
    return { cookie, csrf: String(body.csrf_token) }
  }
  const isSignedIn = async (headers: Record<string, string>) =>
    (await app.call('GET', '/api/session', { headers })).status === 200
  const issuers = { '/oauth/logout': idp.issuer, '/oauth/acme/logout': acme.issuer }
  const paths = Object.keys(issuers)

  test('GET shows a page with a button, in both languages, and ends nothing', async () => {
    const host = new URL(idp.issuer).host
    for (const [path, provider] of [
      ['/oauth/logout', host],
      ['/oauth/acme/logout', 'acme'],
    ] as const) {
      const { headers, csrf } = await sessionOf()
      const before = await sessions()
      const page = await app.call('GET', path, { headers })
      assertPage(page, 200, `Sign out of ${provider}?`)
      assert.deepEqual(page.cookies, {})
      for (const text of [
        `<form method="post" action="${path}" noValidate>`.replace('noValidate', 'novalidate'),
        `name="csrf_token" value="${csrf}"`,
        `You are signed in as ann. Your session here ends, and you continue to ${provider} to sign out there.`,
      ]) {
        assert.ok(page.text.includes(text), `${text}\n${page.text}`)
      }
      const german = { ...headers, 'accept-language': 'de' }
      const deutsch = await app.call('GET', path, { headers: german })
      assert.match(deutsch.text, new RegExp(`<h1[^>]*>Bei ${provider} abmelden\\?</h1>`))
      assert.match(deutsch.text, /Sie sind als ann angemeldet\./)
      const stranger = await app.call('GET', path, { headers: { accept: navigation } })
      assertPage(stranger, 200, `Sign out of ${provider}?`)
      assert.match(stranger.text, /You are not signed in in this browser\./)
      assert.doesNotMatch(stranger.text, /csrf_token/)
      assert.deepEqual(await sessions(), before)
      assert.ok(await isSignedIn(headers))
    }
  })

  test('the button ends the session, and a page goes on to the provider', async () => {
    for (const [path, issuer] of Object.entries(issuers)) {
      const browser = pageBrowser(app)
      await browser.open('/signin')
      await browser.submit({ username: 'ann', password: ann.password })
      await browser.open(path)
      const done = await browser.submit()
      assert.deepEqual([done.status, browser.heading()], [200, 'Signed out'])
      const [, url = ''] = /http-equiv="refresh" content="0; url=([^"]+)"/.exec(done.text) ?? []
      const { origin, pathname, searchParams } = new URL(url.replaceAll('&amp;', '&'))
      assert.equal(origin + pathname, `${issuer}/session/end`)
      assert.deepEqual(Object.fromEntries(searchParams), {
        client_id: 'gatehouse',
        post_logout_redirect_uri: 'http://127.0.0.1:3000/',
      })
      assert.equal(browser.cookies.get('JSESSIONID'), undefined)
      await browser.open('/account')
      assert.equal(browser.heading(), 'Sign in')
    }
  })

  test('a program gets the redirect; without a session it goes on to the provider alone', async () => {
    for (const [path, issuer] of Object.entries(issuers)) {
      const { cookie, csrf } = await signedIn()
      const form = { csrf_token: csrf }
      const answer = await app.call('POST', path, { headers: { cookie }, form })
      assert.equal(answer.status, 303)
      assert.ok(String(answer.headers.location).startsWith(`${issuer}/session/end?`))
      assert.equal(await isSignedIn({ cookie }), false)
      for (const headers of [{}, { cookie }, { cookie: 'JSESSIONID=unknown' }]) {
        const again = await app.call('POST', path, { headers, form: {} })
        assert.deepEqual([again.status, again.headers.location], [303, answer.headers.location])
      }
    }
  })

  test('without the token of the session, or from another site: refused, and the session goes on', async () => {
    const { cookie, csrf } = await signedIn()
    const other = await signedIn()
    const before = await sessions()
    for (const path of paths) {
      for (const form of [
        {},
        { csrf_token: '' },
        { csrf_token: `${csrf}x` },
        { csrf_token: other.csrf },
      ]) {
        const answer = await app.call('POST', path, { headers: { cookie }, form })
        assertRefusal(answer, 403, 'CSRF token invalid')
      }
      for (const foreign of [
        { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
        { origin: 'https://evil.example' },
        { origin: 'null' },
      ]) {
        for (const headers of [{ cookie, ...foreign }, foreign]) {
          const form = { csrf_token: csrf }
          const answer = await app.call('POST', path, { headers, form })
          assertRefusal(answer, 403, 'Access denied')
        }
      }
      const statusOf = async (method: string) =>
        (await app.call(method, path, { headers: { cookie } })).status
      assert.deepEqual([await statusOf('HEAD'), await statusOf('PUT')], [200, 404])
      assert.equal(await statusOf('DELETE'), 404)
    }
    assert.deepEqual(await sessions(), before)
    assert.ok(await isSignedIn({ cookie }))
  })

  test('a link of another site: a page of ours looks once more, and nothing ends', async () => {
    const { headers } = await sessionOf()
    const { cookie, ...strict } = headers
    for (const path of paths) {
      const foreign = { ...strict, 'sec-fetch-site': 'cross-site' }
      const led = await app.call('GET', `${path}?x=1`, { headers: foreign })
      assert.ok(led.text.includes(`content="0; url=${path}?x=1&amp;here=1"`), led.text)
      const page = await app.call('GET', `${path}?x=1&here=1`, { headers })
      assert.match(page.text, /You are signed in as ann\./)
    }
    const signIn = '/signin?return_to=/oauth/logout&here=1'
    const answer = await app.call('GET', signIn, { headers })
    assert.deepEqual([answer.status, answer.headers.location], [303, '/account'])
    assert.ok(await isSignedIn({ cookie }))
  })

  test('a provider that is not there: 404 for both', async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await app.call(
        method,
        '/oauth/other/logout',
        method === 'POST' ? { form: {} } : {},
      )
      assertRefusal(answer, 404, 'Route not found')
    }
  })
})

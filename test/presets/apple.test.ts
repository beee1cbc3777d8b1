import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import type { Json } from '../forge.ts'
import { clockOfToday } from '../identity-provider.ts'
import { assertPage, assertRefusal } from '../refusal.ts'
import { navigation, type TestBrowser, testBrowser } from '../test-browser.ts'
import { appleSite, settings } from './oidc-sites.ts'
import { world } from './world.ts'

const callback = '/oauth/fruit/callback'
const ann = { sub: '000792.d7', email: 'relay@privaterelay.appleid.com', email_verified: 'true' }
const user = { name: { firstName: 'Ann', lastName: 'Lee' }, email: 'ann@example.org' }

suite('preset apple: its answer is a POST from another site', async () => {
  const sites = await world()
  sites.add(appleSite(sites))
  const app = await testApp(settings, {
    clock: clockOfToday(),
    deps: { fetch: sites.fetch },
  })

  /** Agrees at Apple; answers the fields of its form. */
  async function agreed(browser: TestBrowser, person: Json, more: Record<string, string> = {}) {
    const begun = await browser.call('GET', '/oauth/fruit/login')
    const address = String(begun.headers.location)
    const { searchParams } = new URL(address)
    const state = searchParams.get('state') ?? ''
    return { state, code: sites.grant(address, person), ...more }
  }

  /** As a browser that comes from Apple: without any cookie. */
  const post = (form: Record<string, string>, accept = navigation) =>
    app.call('POST', callback, {
      form,
      headers: { accept, origin: 'https://appleid.apple.com', 'sec-fetch-site': 'cross-site' },
    })

  function pathIn(text: string): string {
    const [, path = ''] = /content="0; url=([^"]+)"/.exec(text) ?? []
    return path.replaceAll('&amp;', '&')
  }

  test('the request asks for a form, for a nonce, and for no PKCE, which Apple does not document', async () => {
    const begun = await app.call('GET', '/oauth/fruit/login')
    const { origin, searchParams } = new URL(String(begun.headers.location))
    const { state, nonce, ...rest } = Object.fromEntries(searchParams)
    assert.equal(origin, 'https://appleid.apple.com')
    assert.deepEqual(rest, {
      client_id: 'org.example.web',
      redirect_uri: `http://127.0.0.1:3000${callback}`,
      response_type: 'code',
      response_mode: 'form_post',
      scope: 'openid name email',
    })
    for (const value of [state, nonce]) assert.match(value ?? '', /^[\w-]{43}$/)
  })

  test('a page of ours hands the values on, and the callback checks the cookie', async () => {
    const browser = testBrowser(app)
    const form = await agreed(browser, ann, {
      user: JSON.stringify(user),
      id_token: 'dropped.dropped.dropped',
    })
    const page = await post(form)
    assertPage(page, 200, 'Signing in')
    assert.deepEqual(page.cookies, {})
    const path = pathIn(page.text)
    const { state, code } = form
    const query = new URLSearchParams({ state, code, name: 'Ann Lee' })
    assert.equal(path, `${callback}?${query}`)
    assert.ok(!page.text.includes('ann@example.org') && !page.text.includes('dropped'))
    const landed = await browser.call('GET', path)
    assert.equal(landed.status, 200, landed.text)
    const { body } = await browser.call('GET', '/api/session')
    assert.equal(body.username, ann.email)
    const headers = app.basic(app.admin)
    const made = await app.call('GET', `/users/${body.user_id}`, { headers })
    assert.deepEqual([made.body.name, made.body.email], ['Ann Lee', ann.email])
  })

  test('the next sign-in has no name, and is the same account', async () => {
    const browser = testBrowser(app)
    const page = await post(await agreed(browser, { ...ann, email: 'other@example.org' }))
    assert.equal((await browser.call('GET', pathIn(page.text))).status, 200)
    const { body } = await browser.call('GET', '/api/session')
    assert.equal(body.username, ann.email)
  })

  test('without the cookie of the browser that began, nobody is signed in', async () => {
    const before = await app.rows('flows')
    const page = await post(await agreed(testBrowser(app), ann))
    const thief = testBrowser(app)
    assertRefusal(await thief.call('GET', pathIn(page.text)), 400, 'Sign-in failed')
    await thief.call('GET', '/oauth/fruit/login')
    assertRefusal(await thief.call('GET', pathIn(page.text)), 400, 'Sign-in failed')
    assert.equal(thief.cookies.has('JSESSIONID'), false)
    assert.deepEqual(await app.rows('flows'), before)
  })

  test('a person who declines', async () => {
    const browser = testBrowser(app)
    const { state } = await agreed(browser, ann)
    const page = await post({ state, error: 'user_cancelled_authorize' })
    assertRefusal(await browser.call('GET', pathIn(page.text)), 403, 'Access denied')
  })

  test('a name is text of at most 100 characters, and what is none is left out', async () => {
    const state = 's'.repeat(43)
    const nameFrom = async (sent: string) => {
      const page = await post({ state, code: 'c', user: sent })
      assert.equal(page.status, 200)
      return new URLSearchParams(pathIn(page.text).split('?')[1]).get('name')
    }
    const of = (firstName: unknown, lastName: unknown) =>
      JSON.stringify({ name: { firstName, lastName } })
    assert.equal(await nameFrom(of('<b>"', "'&")), `<b>" '&`)
    assert.equal(await nameFrom(of('a'.repeat(200), 'b')), 'a'.repeat(100))
    assert.equal(await nameFrom(of(7, 'Lee')), 'Lee')
    for (const sent of ['', '{', 'null', '[]', '7', '{"name":"x"}', of(null, {}), of('', ' ')]) {
      assert.equal(await nameFrom(sent), null, sent)
    }
    assert.equal(await nameFrom(of('a\0', '\ud800')), null)
  })

  test('a name that no database stores is left out at the callback too', async () => {
    for (const [index, name] of ['%00', 'a%00b', '', '%20', 'n'.repeat(3000)].entries()) {
      const browser = testBrowser(app)
      const person = { ...ann, sub: `odd ${index}`, email: `odd${index}@example.org` }
      const form = await agreed(browser, person)
      const path = pathIn((await post(form)).text)
      assert.equal((await browser.call('GET', `${path}&name=${name}`)).status, 200, name)
      const { body } = await browser.call('GET', '/api/session')
      const headers = app.basic(app.admin)
      const made = await app.call('GET', `/users/${body.user_id}`, { headers })
      const expected = name.startsWith('n') ? 'n'.repeat(100) : person.email
      assert.equal(made.body.name, expected, name)
    }
  })

  test('a form without a state or a code, or with broken ones, is refused', async () => {
    const state = 's'.repeat(43)
    const forms: Record<string, string>[] = [
      {},
      { state },
      { code: 'c' },
      { state, code: 'c', error: 'e' },
      { state: 'short', code: 'c' },
      { state, code: '' },
      { state, code: 'with space' },
      { state, code: 'c'.repeat(2049) },
      { state, error: '<script>' },
    ]
    const before = await app.rows()
    for (const form of forms) {
      const answer = await post(form, 'application/json')
      assertRefusal(answer, 400, 'Sign-in failed', JSON.stringify(form))
    }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = `state=${state}&code=a&code=b`
    const twice = await app.call('POST', callback, { headers, body })
    assertRefusal(twice, 400, 'Invalid request body')
    const json = await app.call('POST', callback, { json: { state, code: 'c' } })
    assertRefusal(json, 400, 'Invalid request body')
    const other = await app.call('POST', '/oauth/other/callback', { form: { state, code: 'c' } })
    assertRefusal(other, 404, 'Route not found')
    assert.deepEqual(await app.rows(), before)
  })

  test('neither the key nor a secret made of it stands in a log', () => {
    const log = JSON.stringify(app.log)
    assert.ok(!log.includes('PRIVATE KEY') && !log.includes('client_secret'))
    const [, secret] = sites.requests.map(({ form }) => form.get('client_secret')).filter(Boolean)
    assert.ok(secret && !log.includes(secret))
  })
})

test('the form of an unknown provider is refused, and so are too many of them', async () => {
  const app = await testApp({ RATE_LIMIT_MAX: '2' })
  const paths = ['/oauth/callback', '/oauth/other/callback']
  for (const [status, error] of [
    [404, 'Route not found'],
    [429, 'Too many requests'],
  ] as const) {
    for (const path of paths) {
      const answer = await app.call('POST', path, { form: { state: 'a', code: 'b' } })
      assertRefusal(answer, status, error, path)
    }
  }
})

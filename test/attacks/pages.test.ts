import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { html } from '../../src/core/http/pages/html.ts'
import { type TestApp, testApp } from '../app.ts'
import { enrol, enrolAtProvider } from '../factor.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { newHost } from '../logins.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { assertPage, assertRefusal } from '../refusal.ts'
import { navigation, testBrowser } from '../test-browser.ts'

suite('Accept as an attacker sends it', async () => {
  const app = await testApp()
  const { port } = await app.listen()

  for (const accept of [
    '',
    ',,,;;;==',
    'text',
    'text/html;q=nonsense',
    'text/html;q=-1',
    '*',
    'text/html text/html',
    '"text/html',
    '\u00ff\u00fe',
    'text/html;q=0.0000000000000000000',
    '__proto__/constructor',
    ';'.repeat(15_000),
    '"\\'.repeat(7_000),
    'text/html;q=0,'.repeat(1_000),
    'text/html,'.repeat(103), // longer than any browser's: it is not read
  ]) {
    test(`JSON for ${JSON.stringify(accept.slice(0, 30))} (${accept.length})`, async () => {
      const answer = await app.call('GET', '/', { headers: { accept } })
      assert.deepEqual([answer.status, answer.body.name], [200, 'Gatehouse'])
    })
  }

  test('any text at all: 200, of one type or the other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme-ascii', maxLength: 200 }), async (accept) => {
        const { status, headers } = await app.call('GET', '/', { headers: { accept } })
        assert.equal(status, 200)
        assert.match(
          String(headers['content-type']),
          /^(?:application\/json|text\/html); charset=utf-8$/,
        )
      }),
    )
  })

  test('a doubled header counts as one list, and one that is too long is refused', async () => {
    const twice = (...values: string[]) =>
      `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${values.map((value) => `Accept: ${value}\r\n`).join('')}\r\n`
    for (const [values, type] of [
      [['application/json;q=0.1', 'text/html'], 'text/html'],
      [['text/html;q=0.1', 'application/json'], 'application/json'],
    ] as const) {
      const { answers } = await exchange(port, twice(...values))
      assert.equal(answers[0]?.status, 200)
      assert.equal(answers[0]?.headers['content-type'], `${type}; charset=utf-8`)
    }
    const { answers } = await exchange(
      port,
      rawRequest('GET / HTTP/1.1', { Accept: 'text/html,'.repeat(2_000) }),
    )
    assert.equal(answers[0]?.status, 431)
  })
})

suite('pages and what others have written', async () => {
  const idp = await identityProvider()
  const clock = clockOfToday()
  const app = await testApp(settingsFor(idp), { clock })
  const evil = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&`
  const isClean = (text: string) => {
    assert.ok(!text.includes('alert(1)</script>') && !text.includes('<img src=x'), text)
  }

  test('every text in a page is escaped, and a piece of HTML is not', () => {
    const texts = fc.array(fc.oneof(fc.string(), fc.constant(evil)))
    fc.assert(
      fc.property(texts, (values) => {
        const inner = html`<b title="${values[0]}">${values}</b>`.toString()
        assert.doesNotMatch(inner.replace(/^<b title="([^"<>]*)">/, '').slice(0, -4), /[<>"']/)
        assert.equal(html`${html`<i>${values}</i>`}`.toString(), html`<i>${values}</i>`.toString())
      }),
    )
    for (const nothing of [null, undefined, false] as const) assert.equal(`${html`${nothing}`}`, '')
    assert.equal(`${html`${[{ toString: () => evil } as never]}`}`.includes('<script'), false)
  })

  test('nothing of the error that a provider sends is on the page', async () => {
    for (const code of ['access_denied', 'server_error', 'temporarily_unavailable', evil]) {
      const browser = testBrowser(app, navigation)
      const begun = await browser.call('GET', '/oauth/login')
      const state = new URL(String(begun.headers.location)).searchParams.get('state') ?? ''
      const query = new URLSearchParams({
        error: code,
        error_description: `described ${evil}`,
        error_uri: 'https://evil.example/',
        state,
        iss: idp.issuer,
      })
      const before = await app.rows('flows')
      const { status, text, headers } = await browser.call('GET', `/oauth/callback?${query}`)
      assert.ok(status >= 400, code)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      isClean(text)
      for (const sent of ['described', 'evil.example', 'access_denied', state]) {
        assert.ok(!text.includes(sent), sent)
      }
      assert.deepEqual(await app.rows('flows'), before)
    }
  })

  test('nor a name in the path', async () => {
    const headers = { accept: navigation }
    for (const name of [evil, 'a"b', "a'b", '<b>', 'javascript:alert(1)', '%']) {
      const path = `/oauth/${encodeURIComponent(name)}/login?return_to=${encodeURIComponent(evil)}`
      const page = await app.call('GET', path, { headers })
      assertPage(page, 404, 'There is no such sign-in', name)
      isClean(page.text)
    }
  })

  test('return_to: what is no path of this service is /, and a path is escaped', async () => {
    idp.person = { sub: 'ann-1', preferred_username: 'ann', email: 'ann@example.org' }
    for (const [sent, shown] of [
      [`/${evil}`, `/&quot;>&lt;script>alert(1)&lt;/script>&lt;img src=x onerror='alert(2)'>&amp;`],
      ['javascript:alert(1)', '/'],
      ['//evil.example', '/'],
      ['/\\evil.example', '/'],
      ['/%0d%0aset-cookie:x', '/'],
      ['https://evil.example/', '/'],
    ] as const) {
      const browser = testBrowser(app, navigation)
      const landed = await browser.open(`/oauth/login?return_to=${encodeURIComponent(sent)}`)
      assertPage(landed, 200, 'Signed in', sent)
      assert.ok(landed.text.includes(`content="0; url=${shown}"`), landed.text)
      assert.ok(landed.text.includes(`href="${shown}">Continue`), landed.text)
    }
    const gone = await testApp({ ...settingsFor(idp), OIDC_ISSUER: 'http://127.0.0.1:9' })
    for (const sent of ['//evil.example', evil, ['/a', '/b'].join('&return_to=')]) {
      const path = `/oauth/login?return_to=${encodeURIComponent(sent)}`
      const { text } = await gone.call('GET', path, { headers: { accept: navigation } })
      assert.ok(text.includes('href="/oauth/login?return_to=%2F'), text)
      assert.ok(!text.includes('evil.example'))
      isClean(text)
    }
    const doubled = '/oauth/login?return_to=/a&return_to=/b'
    const { text } = await gone.call('GET', doubled, { headers: { accept: navigation } })
    assert.ok(text.includes('href="/oauth/login?return_to=%2F"'), text)
  })

  test('no page can be framed, and none is kept', async () => {
    const headers = { accept: navigation }
    for (const path of ['/', '/oauth/other/login', '/oauth/second-factor', '/oauth/callback']) {
      const answer = await app.call('GET', path, { headers })
      assert.equal(answer.headers['x-frame-options'], 'DENY')
      assert.match(String(answer.headers['content-security-policy']), /frame-ancestors 'none'/)
      assert.equal(answer.headers['cache-control'], 'no-store')
    }
  })
})

suite('the page of the second factor', async () => {
  const idp = await identityProvider()
  const heading = 'Second factor'

  async function atTheForm(app: TestApp, username: string) {
    idp.person = { sub: username, preferred_username: username, email: 'someone@example.org' }
    const first = testBrowser(app)
    await first.open('/oauth/login')
    const device = await enrolAtProvider(app, first)
    app.clock.advance(30)
    // A browser that navigates goes on at /signin: this page is for a program that shows it to a person.
    const browser = testBrowser(app)
    const accept = { accept: navigation }
    assertPage(await browser.open('/oauth/login?return_to=/here'), 200, heading)
    const from = newHost()
    const send = (form: Record<string, string>, headers = {}) =>
      browser.call('POST', '/oauth/second-factor', {
        form,
        from,
        headers: { ...accept, ...headers },
      })
    return { ...device, browser, send }
  }

  test('tells a wrong code on the page, with the status as ever, and takes the right one after it', async () => {
    const app = await testApp(settingsFor(idp), { clock: clockOfToday() })
    const { browser, code, send } = await atTheForm(app, 'ann')
    for (const [form, text] of [
      [{}, 'Enter a code.'],
      [{ totp: '', recovery_code: '' }, 'Enter a code.'],
      [{ totp: '000000', recovery_code: '' }, 'This code is not right'],
      [{ totp: '', recovery_code: '<script>alert(1)</script>' }, 'This code is not right'],
    ] as const) {
      const page = await send(form)
      assertPage(page, 401, heading)
      assert.ok(page.text.includes(text), page.text)
      assert.match(page.text, /<div class="notice bad" id="problem" role="alert" tabindex="-1">/)
      assert.equal(page.text.split('aria-invalid="true" aria-describedby="problem ').length, 3)
      assert.ok(
        !page.text.includes('000000') && !page.text.includes('alert(1)'),
        'nothing is echoed',
      )
      assert.equal(browser.cookies.has('JSESSIONID'), false)
    }
    const json = { accept: 'application/json' }
    assertRefusal(await send({ totp: '000000' }, json), 401, 'Invalid credentials')
    assertPage(await send({ totp: code(), recovery_code: '' }), 200, 'Signed in')
    assert.equal((await browser.call('GET', '/api/session')).body.username, 'ann')
    const again = await send({ totp: code(1) })
    assertPage(again, 400, 'This sign-in cannot be finished')
    assert.ok(!again.text.includes('Sign in again'), 'the form does not know the provider')
  })

  test('after too many: 429, a page that says how long, and nothing is judged any more', async () => {
    const app = await testApp(settingsFor(idp), { clock: clockOfToday() })
    const { code, browser, send } = await atTheForm(app, 'bob')
    for (let tries = 0; tries < 5; tries += 1) await send({ totp: '000000' })
    const before = await app.rows()
    const page = await send({ totp: code() })
    assertPage(page, 429, 'Too many wrong codes')
    assert.match(page.text, /Try again in 1[45] minutes\./)
    assert.ok(Number(page.headers['retry-after']) > 0)
    assert.deepEqual(await app.rows(), before)
    assert.equal(browser.cookies.has('JSESSIONID'), false)
  })

  test("another origin's form is refused, on a page; without a sign-in under way there is none", async () => {
    const app = await testApp(settingsFor(idp), { clock: clockOfToday() })
    const { code, browser, send } = await atTheForm(app, 'carl')
    const before = await app.rows()
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'null' },
      { origin: 'https://evil.example' },
    ]) {
      assertPage(await send({ totp: code() }, headers), 403, 'You were not signed in')
    }
    assert.deepEqual(await app.rows(), before)
    assert.equal(browser.cookies.has('JSESSIONID'), false)
    const stranger = testBrowser(app, navigation)
    assertPage(await stranger.open('/oauth/second-factor'), 400, 'This sign-in cannot be finished')
    const own = { origin: app.deps.config.baseUrl, 'sec-fetch-site': 'same-origin' }
    assertPage(await send({ totp: code() }, own), 200, 'Signed in')
  })

  test('a role that asks for a factor: a browser goes on to set one up, a program gets the token', async () => {
    const more = { OIDC_DEFAULT_ROLES: 'EDITOR', REQUIRE_SECOND_FACTOR: 'EDITOR' }
    const app = await testApp(settingsFor(idp, more), { clock: clockOfToday() })
    idp.person = { sub: 'dan', preferred_username: 'dan', email: 'someone@example.org' }
    const person = testBrowser(app, navigation)
    assertPage(await person.open('/oauth/login'), 200, 'Set up a second factor')
    assert.match(person.seen.at(-1) ?? '', /\/signin\?flow=[\w-]{43}$/)
    assert.equal(person.cookies.has('JSESSIONID'), false)
    const { status, body } = await testBrowser(app).open('/oauth/login')
    assert.deepEqual([status, body.error], [403, 'Second factor enrolment required'])
    await enrol(app, { authorization: `Bearer ${body.enrolment_token}` })
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type Answer, testApp } from '../app.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { assertHeaders, assertPage, assertRefusal } from '../refusal.ts'
import { relayEnv } from '../relay.ts'
import { navigation, testBrowser } from '../test-browser.ts'

const heading = 'Gatehouse'
const home = (documents: 'anyone' | 'ADMIN', signIn: readonly object[] = []) => ({
  name: 'Gatehouse',
  links: {
    documentation: { href: '/api/docs', access: documents },
    openapi: { href: '/api/openapi.json', access: documents },
    jwks: { href: '/.well-known/jwks.json', access: 'anyone' },
    health: { href: '/health/ready', access: 'anyone' },
    status: { href: '/api/public/status', access: 'anyone' },
  },
  sign_in: signIn,
})

function assertHome(answer: Answer, ...content: Parameters<typeof home>): void {
  assert.deepEqual([answer.status, answer.body], [200, home(...content)])
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(answer.headers.vary, 'Accept')
  assertHeaders(answer)
}

suite('GET /: a page for people, JSON for programs', async () => {
  const app = await testApp()
  const ask = (accept?: string) =>
    app.call('GET', '/', accept === undefined ? {} : { headers: { accept } })

  for (const accept of [
    undefined,
    '*/*',
    'application/json',
    'application/*',
    'application/json, text/html',
    'text/html;q=0.5, application/json',
    'text/html;q=0, */*;q=0.1',
    'text/html;q=0',
    '*/*;q=0',
    'image/png',
    'application/problem+json',
  ]) {
    test(`JSON for Accept: ${accept ?? '(none)'}`, async () => {
      assertHome(await ask(accept), 'anyone')
    })
  }

  for (const accept of [
    navigation,
    'text/html',
    'TEXT/HTML',
    'text/*',
    'text/html, application/json;q=0.9',
    'application/json;q=0.8, text/html;q=0.9',
    'application/json;q=0, */*',
    'text/html;q=0.001, */*;q=0',
  ]) {
    test(`a page for Accept: ${accept}`, async () => {
      const answer = await ask(accept)
      assertPage(answer, 200, heading)
      assert.equal(answer.headers.vary, 'Accept')
      for (const path of ['/api/docs', '/api/openapi.json', '/health/ready']) {
        assert.ok(answer.text.includes(`href="${path}"`), path)
      }
      assert.ok(!answer.text.includes('/oauth/') && !answer.text.includes('/signup'))
    })
  }

  test('leads a person who is signed in to the console or to the own account', async () => {
    for (const [name, roles, start] of [
      ['ann', ['USER'], '/account'],
      ['edd', ['EDITOR'], '/admin'],
      ['ada', ['ADMIN', 'USER'], '/admin'],
    ] as const) {
      const { cookie = '' } = await app.session(await app.account(name, roles))
      for (const method of ['GET', 'HEAD']) {
        const answer = await app.call(method, '/', { headers: { accept: navigation, cookie } })
        const { location, vary } = answer.headers
        assert.deepEqual([answer.status, answer.text, location, vary], [303, '', start, 'Accept'])
      }
      assertHome(await app.call('GET', '/', { headers: { cookie } }), 'anyone')
    }
    const headers = { accept: navigation, cookie: 'JSESSIONID=x' }
    const ended = await app.call('GET', '/', { headers })
    assertPage(ended, 200, heading)
    assert.ok(ended.text.includes('href="/signin"'))
  })

  test('HEAD has the headers of either, and no body', async () => {
    for (const [accept, type] of [
      [navigation, 'text/html; charset=utf-8'],
      ['*/*', 'application/json; charset=utf-8'],
    ] as const) {
      const headers = { accept }
      const [get, head] = [
        await app.call('GET', '/', { headers }),
        await app.call('HEAD', '/', { headers }),
      ]
      assert.deepEqual([head.status, head.text], [200, ''])
      assert.equal(head.headers['content-type'], type)
      assert.equal(head.headers['content-length'], get.headers['content-length'])
      assert.equal(head.headers.vary, 'Accept')
    }
  })

  test('every link of the page and of the JSON leads somewhere', async () => {
    const { text } = await ask(navigation)
    const { links } = (await ask()).body as ReturnType<typeof home>
    const paths = new Set([
      ...[...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)].map(([, path = '']) => path),
      ...Object.values(links).map(({ href }) => href),
    ])
    assert.ok(paths.size >= 7)
    for (const path of paths) assert.equal((await app.call('GET', path)).status, 200, path)
  })

  test('credentials are ignored, and another method is no route', async () => {
    for (const authorization of ['Bearer nonsense', 'Basic nonsense']) {
      assertHome(await app.call('GET', '/', { headers: { authorization } }), 'anyone')
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      const headers = { accept: navigation }
      assertRefusal(await app.call(method, '/', { headers }), 404, 'Route not found')
    }
  })

  test('Vary keeps what CORS adds', async () => {
    const origin = 'https://app.example'
    const shared = await testApp({ CORS_ORIGINS: origin })
    const answer = await shared.call('GET', '/', { headers: { origin } })
    assert.equal(answer.headers.vary, 'Origin, Accept')
  })

  test('above the general limit a page says so, and a program gets JSON', async () => {
    const limited = await testApp({ RATE_LIMIT_MAX: '1' })
    assert.equal((await limited.call('GET', '/')).status, 200)
    const headers = { accept: navigation }
    const page = await limited.call('GET', '/', { headers })
    assertPage(page, 429, 'You have asked too often')
    assert.ok(Number(page.headers['retry-after']) > 0)
    assertRefusal(await limited.call('GET', '/'), 429, 'Too many requests')
  })
})

suite('GET / in production', async () => {
  const app = await testApp({
    NODE_ENV: 'production',
    TRUST_PROXY: 'none',
    BASE_URL: 'https://auth.example.org',
    OIDC_ISSUER: 'https://id.example.org',
    OIDC_CLIENT_ID: 'gatehouse',
    OIDC_PROVIDERS: 'acme,checker',
    OIDC_ACME_ISSUER: 'https://acme.example',
    OIDC_ACME_CLIENT_ID: 'gatehouse',
    OIDC_CHECKER_ISSUER: 'https://checker.example',
    OIDC_CHECKER_AUDIENCE: 'api',
  })

  test('is for people: it names the providers to sign in with, and nothing for developers', async () => {
    assertHome(await app.call('GET', '/'), 'ADMIN', [
      { name: 'default', href: '/oauth/login' },
      { name: 'acme', href: '/oauth/acme/login' },
    ])
    const page = await app.call('GET', '/', { headers: { accept: navigation } })
    assertPage(page, 200, heading)
    for (const text of [
      '<a class="button" href="/signin">Sign in</a>',
      '<a class="button quiet" href="/oauth/login">Sign in with id.example.org</a>',
      '<a class="button quiet" href="/oauth/acme/login">Sign in with acme</a>',
      'href="/oauth/logout"',
      'href="/oauth/acme/logout"',
    ]) {
      assert.ok(page.text.includes(text), text)
    }
    assert.doesNotMatch(page.text, /developers|\/api\/|jwks|\/health|POST/)
    assert.ok(!page.text.includes('checker'), 'a provider of tokens alone signs no one in')
  })

  test('tells no version, no number of users and no setting', async () => {
    for (const accept of ['*/*', navigation]) {
      const { text } = await app.call('GET', '/', { headers: { accept } })
      assert.doesNotMatch(text, /\d+\.\d+\.\d+|sqlite|postgres|node|production/i)
    }
  })
})

test('GET / offers a new account where anyone may have one', async () => {
  const env = { ...relayEnv(2525, 'none'), SIGN_UP: 'open' }
  const { text } = await (await testApp(env)).call('GET', '/', { headers: { accept: navigation } })
  assert.match(text, /<a href="\/signup">Create an account<\/a>/)
})

suite('the files of pages', async () => {
  const app = await testApp()
  const { text } = await app.call('GET', '/', { headers: { accept: navigation } })
  const [, style = ''] = /<link rel="stylesheet" href="([^"]+)"/.exec(text) ?? []
  const [, icon = ''] = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)"/.exec(text) ?? []
  const other = (path: string) => path.replace(/[^/]{16}(?=\/)/, '0000000000000000')

  test('are for anyone and may be kept: their address changes with them', async () => {
    for (const [path, type] of [
      [style, 'text/css; charset=utf-8'],
      [icon, 'image/svg+xml'],
    ] as const) {
      assert.match(path, /^\/assets\/[\w-]{16}\/\w+\.\w+$/)
      const answer = await app.call('GET', path)
      assert.deepEqual([answer.status, answer.headers['content-type']], [200, type])
      assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.ok(answer.text.length > 100)
      assertHeaders({ ...answer, headers: { ...answer.headers, 'cache-control': 'no-store' } })
    }
  })

  test('at the address of another version they are asked for again each time', async () => {
    assert.notEqual(other(style), style)
    const answer = await app.call('GET', other(style))
    assert.deepEqual([answer.status, answer.headers['cache-control']], [200, 'no-cache'])
    const { etag } = answer.headers
    const headers = { 'if-none-match': String(etag) }
    const again = await app.call('GET', other(style), { headers })
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, '', etag])
    const stale = await app.call('GET', other(style), { headers: { 'if-none-match': '"x"' } })
    assert.equal(stale.status, 200)
  })

  test('are sent compressed to those that take it, each with its own ETag', async () => {
    const plain = await app.call('GET', style)
    assert.deepEqual(
      [plain.headers['content-encoding'], plain.headers.vary],
      [undefined, 'Accept-Encoding'],
    )
    const encodings = { br: brotliDecompressSync, gzip: gunzipSync }
    for (const [accepted, encoding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip, deflate', 'gzip'],
      ['*', 'br'],
      ['br;q=0, *', 'gzip'],
      ['br;q=0.1, gzip', 'br'],
      ['deflate', undefined],
      ['', undefined],
      ['br;q=0, gzip;q=0', undefined],
      [`${'x, '.repeat(400)}br`, undefined],
    ] as const) {
      const headers = { 'accept-encoding': accepted }
      const { rawPayload, headers: answered } = await app.app.server.inject({ url: style, headers })
      assert.equal(answered['content-encoding'], encoding, accepted)
      assert.equal(answered['content-length'], String(rawPayload.length))
      assert.equal(answered.vary, 'Accept-Encoding')
      assert.equal(answered['content-type'], 'text/css; charset=utf-8')
      const content = encoding ? encodings[encoding](rawPayload) : rawPayload
      assert.equal(content.toString(), plain.text, accepted)
      assert.equal(answered.etag === plain.headers.etag, encoding === undefined)
      const again = { ...headers, 'if-none-match': String(answered.etag) }
      assert.equal((await app.call('GET', style, { headers: again })).status, 304)
      const others = { ...headers, 'if-none-match': `"other-br"` }
      assert.equal((await app.call('GET', style, { headers: others })).status, 200)
    }
    for (const ending of ['.br', '.gz']) {
      assertRefusal(await app.call('GET', style + ending), 404, 'Route not found')
    }
    const answer = await app.call('GET', '/', { headers: { 'accept-encoding': 'br, gzip' } })
    assert.equal(answer.headers['content-encoding'], undefined)
  })

  test('no other name is a file', async () => {
    for (const name of [
      'nothing.css',
      'page.ts',
      '..%2fpage.ts',
      'constructor',
      '__proto__',
      '%2e%2e',
    ]) {
      const path = style.replace('pages.css', name)
      assertRefusal(await app.call('GET', path), 404, 'Route not found', name)
    }
  })
})

suite('a sign-in through a provider ends on a page', async () => {
  const idp = await identityProvider()
  const clock = clockOfToday()
  const app = await testApp(settingsFor(idp), { clock })
  const ann = { sub: 'ann-1', preferred_username: 'ann', email: 'ann@example.org' }
  idp.person = ann

  test('signed in without return_to: the page goes on to /, and so to the own account', async () => {
    const browser = testBrowser(app, navigation)
    const landed = await browser.open('/oauth/login')
    assertPage(landed, 200, 'Signed in')
    assert.ok(landed.text.includes('<meta http-equiv="refresh" content="0; url=/"/>'))
    assertPage(await browser.open('/'), 200, 'Your account')
    assert.equal((await browser.call('GET', '/api/session')).body.username, 'ann')
  })

  test('logged out at a provider without a log-out of its own: / answers, page or JSON', async () => {
    const { OIDC_ISSUER = '', ...rest } = settingsFor(idp)
    const plain = await testApp({
      ...rest,
      OIDC_ISSUER,
      OIDC_AUTHORIZATION_ENDPOINT: `${OIDC_ISSUER}/auth`,
      OIDC_TOKEN_ENDPOINT: `${OIDC_ISSUER}/token`,
      OIDC_JWKS_URI: `${OIDC_ISSUER}/jwks`,
    })
    const headers = { accept: navigation }
    for (const call of [{ form: {} }, { form: {}, headers }]) {
      const answer = await plain.call('POST', '/oauth/logout', call)
      assert.deepEqual([answer.status, answer.headers.location], [303, '/'])
    }
    assertPage(await testBrowser(plain, navigation).open('/'), 200, heading)
    assert.equal((await testBrowser(plain).open('/')).status, 200)
  })

  test('declined at the provider: 403, a page with a way back, and nothing is made', async () => {
    idp.person = null
    const before = await app.rows('flows')
    const browser = testBrowser(app, navigation)
    const page = await browser.open('/oauth/login')
    assertPage(page, 403, 'You were not signed in')
    assert.equal(page.headers.vary, 'Accept')
    assert.ok(page.text.includes('href="/oauth/login">Sign in again</a>'))
    assert.ok(page.text.includes('href="/">Start page</a>'))
    assert.deepEqual(await app.rows('flows'), before)
    assert.equal(browser.cookies.has('JSESSIONID'), false)
    idp.person = ann
  })

  test('a flow that has expired, another state, a code that was used, no cookie: 400, a page', async () => {
    const failed = 'This sign-in cannot be finished'
    const callback = async (browser = testBrowser(app, navigation)) => {
      const begun = await browser.call('GET', '/oauth/login')
      return browser.until(String(begun.headers.location))
    }
    const call = (browser: ReturnType<typeof testBrowser>, { pathname, search }: URL) =>
      browser.call('GET', `${pathname}${search}`)
    const sessions = (await app.rows()).sessions?.length

    const late = testBrowser(app, navigation)
    const expired = await callback(late)
    clock.advance(601)
    assertPage(await call(late, expired), 400, failed, 'expired')

    const other = testBrowser(app, navigation)
    const changed = await callback(other)
    changed.searchParams.set('state', 'x'.repeat(43))
    assertPage(await call(other, changed), 400, failed, 'state')

    assertPage(await call(testBrowser(app, navigation), await callback()), 400, failed, 'no cookie')
    assert.equal((await app.rows()).sessions?.length, sessions)

    const twice = testBrowser(app, navigation)
    const used = await callback(twice)
    assertPage(await call(twice, used), 200, 'Signed in')
    assertPage(await call(twice, used), 400, failed, 'used')
    const program = { headers: { accept: 'application/json' } }
    assertRefusal(
      await twice.call('GET', `${used.pathname}${used.search}`, program),
      400,
      'Sign-in failed',
    )
  })

  test('no such provider: 404, a page; elsewhere an unknown path stays JSON', async () => {
    const headers = { accept: navigation }
    for (const path of ['/oauth/other/login', '/oauth/other/callback', '/oauth/other/logout']) {
      assertPage(await app.call('GET', path, { headers }), 404, 'There is no such sign-in', path)
      assertRefusal(await app.call('GET', path), 404, 'Route not found')
    }
    for (const path of ['/nowhere', '/oauth', '/oauth/login/', '/users/', '/assets']) {
      assertRefusal(await app.call('GET', path, { headers }), 404, 'Route not found', path)
    }
  })

  test('a provider that does not answer: 503, and the way back keeps return_to', async () => {
    const gone = await testApp({ ...settingsFor(idp), OIDC_ISSUER: 'http://127.0.0.1:9' })
    const headers = { accept: navigation }
    const page = await gone.call('GET', '/oauth/login?return_to=/a%3Fb=c%26d', { headers })
    assertPage(page, 503, 'The sign-in does not work just now')
    assert.ok(page.text.includes('href="/oauth/login?return_to=%2Fa%3Fb%3Dc%26d"'), page.text)
  })
})

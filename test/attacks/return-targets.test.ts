// A database makes a difference: no session may end and no flow may begin by a link.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createReturnPaths } from '../../src/modules/flows/return-paths.ts'
import { type Headers, testApp } from '../app.ts'
import { forwardFile } from '../forward-file.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { pageBrowser } from '../page-browser.ts'
import { testBrowser } from '../test-browser.ts'

const home = 'https://id.example.org'
const wiki = 'https://wiki.example.org'
const browserDigest = 'b'.repeat(43)

/** Paths whose GET ends or begins something, and paths that no GET answers. */
const noTargets = [
  ...['/oauth/logout', '/oauth/acme/logout', '/oauth/login', '/oauth/acme/login'],
  ...['/oauth/callback?code=x&state=y', '/oauth/acme/callback?code=x', '/oauth/second-factor'],
  ...['/signin', '/signin?again=1', '/signin?token=abc', '/signout', '/signout?done=1', '/signup'],
  ...[
    '/signup?token=abc',
    '/reset',
    '/reset?token=abc',
    '/verify?token=abc',
    '/invitation?token=a',
  ],
  ...[
    '/.gatehouse/enter?ticket=x',
    '/.gatehouse/signout',
    '/api/authz/forward',
    '/logout',
    '/login',
  ],
  ...['/signin/application', '/refresh', '/account/sessions/end', '/language'],
]

/** Other spellings, which a browser, the router or a proxy takes for the same path. */
const spellings = [
  ...['/oauth/./logout', '/x/../oauth/logout', '/x/%2e%2e/oauth/logout', '/oauth/%2E/logout'],
  ...['/oauth/%6Cogout', '/%6fauth/logout', '/OAUTH/LOGOUT', '/oauth/Logout', '/oauth//logout'],
  ...[
    '/oauth/logout/',
    '/oauth/logout?x=1',
    '/oauth/logout#x',
    '/oauth/logout;x',
    '/oauth;x/logout',
  ],
  ...['/oauth/%61cme/login', '/oauth/a.b/login', '/oauth/a%20b/login', '/oauth/\u00e4/login'],
  ...['/signin/%61pplication?return_to=/account', '/SIGNIN/application?return_to=/account'],
  ...['/signin/./application?return_to=/account', '/signin/application/', '/signin/application#x'],
  ...['/signin/application;x?return_to=/account', '/.gatehouse/./enter', '/.GATEHOUSE/enter'],
]

const targets = [
  ...['/', '/account', '/account/sessions', '/account/email?done=x', '/account/recovery-codes'],
  ...[
    '/account/delete',
    '/account/confirm?for=password',
    '/admin',
    '/admin/accounts?q=a',
    '/users',
  ],
  ...['/users/1', '/api/session', '/api/docs', '/.well-known/change-password', '/health/live'],
  ...['/here', '/app/oauth/logout', '/oauth/logout/x', '/oauthx/logout', '/signin/applications'],
  ...['/a?return_to=/oauth/logout', '/100%', '/%zz', '/\u65e5\u672c', '/oauth'],
]

const inAscii = (path: string) => path.replace(/[^\x20-\x7e]+/g, encodeURIComponent)

suite('return_to: paths to which no sign-in leads', async () => {
  const clock = clockOfToday()
  const idp = await identityProvider()
  const app = await testApp(
    {
      ...settingsFor(idp),
      BASE_URL: home,
      TRUST_PROXY: '127.0.0.1',
      REDIRECT_ORIGINS: home,
      FORWARD_AUTH_FILE: forwardFile([
        { hosts: ['wiki.example.org', 'id.example.org'], policy: 'one_factor' },
      ]),
      SIGN_UP: 'open',
      SMTP_URL: 'smtp+insecure://127.0.0.1:9',
      MAIL_FROM: 'id@example.org',
    },
    { clock },
  )
  const ann = await app.account('ann')

  /** Where a browser with a session is led at once. */
  async function ledTo(returnTo: string, headers: Headers): Promise<string> {
    const path = `/signin?${new URLSearchParams({ return_to: returnTo })}`
    const answer = await app.call('GET', path, { headers })
    assert.equal(answer.status, 303, returnTo)
    return String(answer.headers.location)
  }
  const cookieOf = async () => {
    const { cookie } = await app.session(ann)
    return { cookie }
  }

  test('a link to one of them leads to the own account instead', async () => {
    const session = await cookieOf()
    for (const path of [...noTargets, ...spellings]) {
      assert.equal(await ledTo(path, session), '/account', path)
      assert.equal(await ledTo(home + path, session), '/account', home + path)
    }
    const { body } = await app.call('GET', '/api/session', { headers: session })
    assert.equal(body.username, 'ann', 'the session goes on')
  })

  test('other paths go on as before', async () => {
    const session = await cookieOf()
    for (const path of targets) assert.equal(await ledTo(path, session), inAscii(path))
    for (const address of [`${wiki}/oauth/logout`, `${wiki}/signout`, `${home}/here`]) {
      assert.equal(await ledTo(address, session), address)
    }
  })

  test('the ticket of an application keeps its own query alone', async () => {
    const session = await cookieOf()
    // An encoded slash would be refused before the query is read.
    const wrap = (query: Record<string, string>) =>
      `/signin/application?${new URLSearchParams(query)}`.replaceAll('%2F', '/')
    const own = wrap({ browser: browserDigest, return_to: `${wiki}/a` })
    assert.equal(await ledTo(own, session), own)
    for (const inner of [...noTargets, ...spellings]) {
      for (const more of [{}, { browser: browserDigest }]) {
        const location = await ledTo(wrap({ ...more, return_to: inner }), session)
        assert.ok(
          !/log(out|in)|signout|enter|callback|gatehouse/i.test(location),
          `${inner} ${location}`,
        )
      }
    }
    assert.equal(await ledTo(wrap({ evil: '1' }), session), '/account')
    const direct = await app.call('GET', wrap({ return_to: '/oauth/logout' }), { headers: session })
    assert.deepEqual([direct.status, direct.headers.location], [303, '/account'])
  })

  test('a sign-in by password or at a provider, and a new identity, lead to none of them', async () => {
    // The provider knows the callback of the default address alone.
    const here = await testApp(settingsFor(idp), { clock })
    const bob = await here.account('bob')
    for (const path of ['/oauth/logout', '/signout', '/oauth/acme/login', '/x/../oauth/logout']) {
      const browser = pageBrowser(here)
      await browser.open(`/signin?return_to=${encodeURIComponent(path)}`)
      await browser.submit({ username: 'bob', password: bob.password })
      assert.equal(browser.path(), '/account', path)

      const landed = await testBrowser(here).open(
        `/oauth/login?return_to=${encodeURIComponent(path)}`,
      )
      assert.ok(landed.text.includes('<meta http-equiv="refresh" content="0; url=/"/>'), path)

      const json = { provider: 'default', return_to: path, current_password: bob.password }
      const headers = await here.bearer(bob)
      const begun = await here.call('POST', '/api/account/identities', { headers, json })
      assert.equal(begun.status, 200)
    }
    const { flows = [] } = await here.rows()
    assert.ok(flows.length > 0)
    assert.deepEqual(
      [...new Set(flows.map((flow) => (flow as { return_to: string }).return_to))],
      ['/'],
    )
  })

  test('a route without a word about it counts by whether it answers HEAD', () => {
    const paths = createReturnPaths({ baseUrl: home })
    paths.add({ method: 'GET', url: '/a/:id/*' })
    paths.add({ method: ['GET', 'POST'], url: '/a/b.c', exposeHeadRoute: false })
    paths.add({ method: 'POST', url: '/a/x/only' })
    paths.add({ method: 'POST', url: '/only' })
    paths.add({ method: 'OPTIONS', url: '*' })
    paths.add({ method: 'HEAD', url: '/unknown' })
    paths.add({
      method: 'GET',
      url: '/kept',
      exposeHeadRoute: false,
      config: { isReturnTarget: true },
    })
    paths.add({ method: 'GET', url: '/not', config: { isReturnTarget: false } })
    const all = [
      '/a/x/y',
      '/a/b.c',
      '/a/bxc',
      '/a/x/only',
      '/only',
      '/kept',
      '/not',
      '/unknown',
      '',
    ]
    assert.deepEqual(
      all.filter((path) => paths.isTarget(path)),
      ['/a/x/y', '/a/bxc', '/a/x/only', '/kept', '/unknown', ''],
    )
    assert.equal(paths.isTarget(`${home}/only`), false)
    assert.equal(paths.isTarget(`${wiki}/only`), true)
  })
})

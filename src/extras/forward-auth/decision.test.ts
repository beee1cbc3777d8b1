import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { navigation } from '../../../test/forward.ts'
import { bearer, callerParts, ended, tried } from '../../../test/forward-callers.ts'
import { type Decided, decidingBy } from '../../../test/forward-decision.ts'
import { digest } from '../../core/crypto/digest.ts'

const wiki = { hosts: ['wiki.example.org', 'id.example.org'], policy: 'one_factor' }
const rules = [
  { ...wiki, paths: ['/open/*'], policy: 'bypass' },
  { ...wiki, paths: ['/shut/*'], policy: 'deny' },
  { ...wiki, paths: ['/safe/*'], policy: 'two_factor' },
  { ...wiki, paths: ['/mail/*'], app_passwords: true },
  { ...wiki, paths: ['/mixed/*'], roles: ['ADMIN'] },
  { ...wiki, paths: ['/mixed/*'], policy: 'bypass' },
  { ...wiki, paths: ['/office/*'], networks: ['10.0.0.0/8'], policy: 'bypass' },
  { ...wiki, paths: ['/staff/*'], roles: ['ADMIN'] },
  { ...wiki, paths: ['/staff/*'], policy: 'deny' },
  { ...wiki, hosts: [...wiki.hosts, 'localhost:81'] },
]

const ask = decidingBy(rules, callerParts)
const with_ = (authorization: string) => ({ headers: { authorization } })
const cookie = (value: string) => ({ headers: { cookie: value } })
const hostSession = (secret: string) => cookie(`a=b; __Host-gatehouse=${secret}`)

function assertAllowed({ body, counted, error, headers, status }: Decided, expected: object): void {
  assert.deepEqual([error, status, body, counted], [undefined, 200, '', { allowed: 1 }])
  assert.deepEqual(headers, { 'content-length': 0, ...expected })
}

function assertRefused({ body, counted, error }: Decided, row: string, reason: object): void {
  const count = { badRequest: 'bad_request', accessDenied: 'denied' }[row] ?? 'unauthenticated'
  assert.deepEqual([error, body, counted], [[row, reason], undefined, { [count]: 1 }])
}

const remote = { 'remote-user': 'ann', 'remote-groups': 'USER,EDITOR', 'remote-email': 'ann@b.co' }
const ofBearer = { ...remote, 'remote-user': '%C3%A4nn', 'remote-email': 'a@b.co' }
const host = 'wiki.example.org'

suite('a request that no caller can change', () => {
  for (const [uri, row, reason] of [
    ['/shut/x', 'accessDenied', { code: 'forward_denied', facts: { host, rule: 2 } }],
    ['/x/..%2fshut', 'accessDenied', { code: 'forward_ambiguous', facts: { host } }],
    ['/office/x', 'badRequest', { code: 'forward_address_absent', facts: { host, rule: 7 } }],
    ['/.gatehouse/x', 'badRequest', { code: 'forward_own_path', facts: { host } }],
  ] as const) {
    test(`${uri}: ${reason.code}`, async () =>
      assertRefused(await ask({ uri, ...with_('Bearer ann') }), row, reason))
  }

  test('is refused at a host of no rule, or for a path that a header names', async () => {
    const other = { code: 'forward_no_rule', facts: { host: 'b.org' } }
    assertRefused(await ask({ host: 'b.org', headers: navigation }), 'accessDenied', other)
    const facts = { host, header: 'x-original-url' }
    const headers = { 'x-original-url': '/shut/x' }
    const named = { code: 'forward_path_override', facts }
    assertRefused(await ask({ headers }), 'accessDenied', named)
  })

  test('is let through by bypass, without our cookies and without a name', async () => {
    const headers = { cookie: 'a=b; __Host-gatehouse=x', authorization: 'Bearer ann' }
    const { body, counted, headers: told } = await ask({ uri: '/open/x', headers })
    assert.deepEqual([body, counted], ['', { bypass: 1 }])
    assert.deepEqual(told, { cookie: 'a=b', 'content-length': 0 })
  })

  test('is for the path that a proxy appends', async () => {
    const differs = { code: 'forward_path_differs' }
    for (const at of ['/b', '', '/a/', '?x', '/a?y'].map((end) => `/api/authz/forward${end}`)) {
      const found = await ask({ at, uri: '/a?x', ...with_('Bearer ann') })
      const isSame = ['', '?x', '/a?y'].some((end) => at === `/api/authz/forward${end}`)
      if (isSame) assertAllowed(found, ofBearer)
      else assertRefused(found, 'badRequest', differs)
    }
    const elsewhere = { at: '/api/other/forward/a', uri: '/a' }
    assertRefused(await ask(elsewhere), 'badRequest', differs)
  })

  test('needs https, except on this machine', async () => {
    const plain = { proto: 'http', ...with_('Bearer ann') }
    const reason = { code: 'forward_plain_http', facts: { host } }
    assertRefused(await ask(plain), 'badRequest', reason)
    assertAllowed(await ask({ ...plain, host: 'localhost:81' }), ofBearer)
  })
})

suite('a caller by header', () => {
  test('is answered at once by a bearer token, which is tried first', async () => {
    for (const sent of ['Bearer ann', 'bearer ann']) {
      tried.length = 0
      const found = await ask(with_(sent))
      assertAllowed(found, ofBearer)
      assert.deepEqual([found.isSynchronous, found.principal, tried], [true, bearer, ['bearer']])
      assert.equal(found.isGuarded, false, 'nothing changes here')
    }
    const { 'remote-email': _, ...nameless } = ofBearer
    assertAllowed(await ask(with_('Bearer mfa')), nameless)
  })

  test('is of an account by Basic, in whatever request', async () => {
    assertAllowed(await ask({ by: 'POST', ...with_('Basic ann') }), remote)
    const reason = { code: 'forward_no_account', facts: { host } }
    for (const sent of ['Basic gone', 'Basic outside']) {
      assertRefused(await ask(with_(sent)), 'accessDenied', reason)
    }
  })

  test('is refused with a bad credential, and not sent to the sign-in', async () => {
    for (const authorization of ['Bearer bad', 'Basic bad', 'Client ann', 'x']) {
      const found = await ask({ headers: { ...navigation, authorization } })
      assert.equal(found.error?.[0], 'authenticationRequired')
      assert.deepEqual(found.counted, { unauthenticated: 1 })
      const isBearer = authorization === 'Bearer bad'
      const order = isBearer ? ['bearer', 'basic', 'Session'] : ['basic', 'Session', 'bearer']
      assert.deepEqual(found.headers['www-authenticate'], order)
    }
  })

  test('is refused if the service cannot read who it is', async () => {
    for (const [sent, error] of [
      ['Bearer broken', ['Error', 'broken']],
      ['Basic broken', ['Error', 'broken']],
      ['Bearer busy', ['tooManyLoginAttempts', ended]],
    ] as const) {
      const found = await ask({ headers: { ...navigation, authorization: sent } })
      assert.deepEqual([found.error, found.counted], [error, { unavailable: 1 }])
    }
  })

  test('may be a key where the rule accepts app passwords', async () => {
    assertAllowed(await ask({ uri: '/mail/x', ...with_('Basic app') }), remote)
    for (const [uri, sent, rule] of [
      ['/mail/x', 'Bearer key', 4],
      ['/x', 'Basic app', 10],
    ] as const) {
      const reason = { code: 'forward_key', facts: { host, rule, user_id: 1 } }
      assertRefused(await ask({ uri, ...with_(sent) }), 'accessDenied', reason)
    }
  })

  test('is judged by roles and factors', async () => {
    const open = await ask({ uri: '/mixed/x', ...with_('Bearer ann') })
    assert.deepEqual([open.counted, open.headers], [{ bypass: 1 }, { 'content-length': 0 }])
    const staff = { code: 'forward_denied', facts: { host, rule: 9 } }
    assertRefused(await ask({ uri: '/staff/x', ...with_('Bearer ann') }), 'accessDenied', staff)
    const reason = { code: 'forward_second_factor', facts: { host, rule: 3, user_id: 1 } }
    const headers = { ...navigation, authorization: 'Bearer ann' }
    assertRefused(await ask({ uri: '/safe/x', headers }), 'accessDenied', reason)
    assert.deepEqual((await ask({ uri: '/safe/x', ...with_('Bearer mfa') })).counted, {
      allowed: 1,
    })
  })
})

suite('a caller by session', () => {
  const ofSession = { ...remote, 'remote-groups': 'ADMIN' }

  test('is of the host, or at the host of the service of its own cookie', async () => {
    const elsewhere = await ask(hostSession('live'))
    assertAllowed(elsewhere, { ...ofSession, cookie: 'a=b' })
    const more = await ask(hostSession('live; sid=of-the-application'))
    assertAllowed(more, { ...ofSession, cookie: 'a=b; sid=of-the-application' })
    const atHome = { host: 'id.example.org', ...cookie('sid=live') }
    const own = await ask(atHome)
    assertAllowed(own, ofSession)
    assert.equal(own.principal, elsewhere.principal, 'cached')
    assert.deepEqual(own.principal, {
      ...{ subject: '1', username: 'ann', roles: new Set(['ADMIN']), amr: ['pwd'], authTime: 5 },
      credential: { scheme: 'session', sessionId: 'digest', csrfToken: 'c', expiresAt: 99 },
    })
    for (const asked of [cookie('sid=live'), { host: 'id.example.org', ...hostSession('live') }]) {
      assert.equal((await ask(asked)).error?.[0], 'authenticationRequired')
    }
  })

  test('is refused after its end, before its enrolment, and without one', async () => {
    const row = 'authenticationRequired'
    assertRefused(await ask(hostSession('x')), row, ended)
    const enrol = { code: 'session_must_enrol', facts: { user_id: 1 } }
    assertRefused(await ask(hostSession('enrol')), row, enrol)
    const facts = { accepted: ['basic', 'session', 'bearer'], sent_scheme: null }
    for (const asked of [{}, { host: 'id.example.org' }]) {
      const { error, headers } = await ask(asked)
      assert.deepEqual(error, [row, { code: 'no_credential', facts }])
      assert.deepEqual(headers, { 'www-authenticate': ['basic', 'Session', 'bearer'] })
    }
    const second = { code: 'forward_second_factor', facts: { host, rule: 3, user_id: 1 } }
    assertRefused(await ask({ uri: '/safe/x', ...hostSession('live') }), 'accessDenied', second)
  })

  const signIn = async (asked: Parameters<typeof ask>[0], cookies = '') => {
    const headers = { ...navigation, ...(cookies && { cookie: cookies }) }
    const found = await ask({ ...asked, headers })
    assert.deepEqual([found.error, found.counted], [undefined, { sign_in: 1 }])
    const browser = String(found.headers['set-cookie'] ?? '').split('=')[1]
    const { location, 'set-cookie': _, ...others } = found.headers
    const address = String(location).replace(`browser=${digest(browser ?? '')}`, 'browser')
    return { ...found, others, address: address.replace(/^https:\/\/id.example.org\/signin\?/, '') }
  }

  test('is sent to the sign-in by a navigation, and back to its address', async () => {
    const { address, body, others, status } = await signIn({ uri: '/a?b' })
    assert.deepEqual([status, body, others], [302, '', { 'content-length': 0 }])
    const back = (path: string) => `return_to=${encodeURIComponent(`https://${host}${path}`)}`
    assert.equal(address, `${back('/a?b')}&browser`)
    assert.equal(
      (await signIn({ uri: '/safe/x' })).address,
      `${back('/safe/x')}&browser&two_factor=1`,
    )
    const again = await signIn({ uri: '/safe/x' }, '__Host-gatehouse=live')
    assert.equal(again.address, `${back('/safe/x')}&browser&again=1&two_factor=1`)
    const longest = `/${'a'.repeat(2048 - `https://${host}/`.length)}`
    assert.equal((await signIn({ uri: longest })).address, `${back(longest)}&browser`)
    assert.equal((await signIn({ uri: `${longest}a` })).address, `${back('/')}&browser`)
    const atHome = await signIn({ host: 'id.example.org' })
    assert.equal(atHome.address, `return_to=${encodeURIComponent('https://id.example.org/')}`)
  })

  test('gets a 401 with the address by nginx, at the route itself', async () => {
    const at = '/api/authz/forward?proxy=nginx'
    const { body, others, status } = await signIn({ at })
    assert.deepEqual([status, body], [401, '{"error":"Authentication required"}'])
    const type = 'application/json; charset=utf-8'
    assert.deepEqual(others, { 'www-authenticate': 'Bearer realm="API"', 'content-type': type })
    const below = { at: '/api/authz/forward/?proxy=nginx' }
    for (const asked of [below, { at: '/api/authz/forward?proxy=other' }]) {
      assert.equal((await signIn(asked)).status, 302)
    }
  })
})

// A database makes a difference: an end counts at the next request, and a database that is away allows nothing.

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KyselyPlugin } from 'kysely'
import { digest } from '../../src/core/crypto/digest.ts'
import { DatabaseUnavailable } from '../../src/core/database/errors.ts'
import { forwardDecisions } from '../../src/extras/forward-auth/measurements.ts'
import { headerText } from '../../src/extras/forward-auth/remote-headers.ts'
import { parseSite } from '../../src/extras/forward-auth/site.ts'
import { type Answer, type Headers, type TestApp, testApp } from '../app.ts'
import { countedDatabase } from '../counted-database.ts'
import { connectTo, sqliteOnly } from '../database.ts'
import { enrol, enrolled } from '../factor.ts'
import {
  type Asked,
  askForward,
  forwarded,
  forwardPath,
  home,
  navigation,
  proxied,
} from '../forward.ts'
import { forwardFile } from '../forward-file.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { servicesOf, verifyAddress } from '../mail.ts'
import { exchange, rawRequest } from '../raw-http.ts'
import { assertRefusal } from '../refusal.ts'

const wiki = 'wiki.example.org'
const rules = [
  { hosts: [wiki], paths: ['/open/*'], policy: 'bypass' },
  { hosts: [wiki], paths: ['/strong/*'], policy: 'two_factor' },
  { hosts: [wiki], paths: ['/read/*'], methods: ['GET'], policy: 'one_factor' },
  { hosts: [wiki], paths: ['/read/*'], policy: 'deny' },
  { hosts: [wiki, 'files.example.org', 'id.example.org'], policy: 'one_factor' },
]
const open = { uri: '/open/' }

/** Refusals are kept, and the job that writes the activity of sessions is not run. */
const kept = ['refusals']

/** The names of the headers that tell an application of its caller. */
function tellsNothing({ headers }: Pick<Answer, 'headers'>, about = ''): void {
  for (const name of ['remote-user', 'remote-groups', 'remote-email', 'cookie']) {
    assert.equal(headers[name], undefined, `${name} ${about}`)
  }
}

function assertRefused(
  answer: Pick<Answer, 'status' | 'headers' | 'body'>,
  status: number,
  error: string,
  about = '',
): void {
  assertRefusal(answer, status, error, about)
  tellsNothing(answer, about)
}

/** A session at the host of an application, as a browser gets one by a ticket. */
async function hostSession(app: TestApp, sessionCookie: string): Promise<Headers> {
  const { hostSessions } = await servicesOf(app)
  const origin = `https://${wiki}`
  const browser = 'b'.repeat(43)
  const id = digest(sessionCookie.split('=')[1] ?? '')
  const handed = { origin, browser: digest(browser), returnTo: `${origin}/` }
  const ticket = await hostSessions.issueTicket(id, handed)
  const redeemed = await hostSessions.redeem(ticket, { origin, browser })
  if ('refused' in redeemed) throw new Error(redeemed.refused.code)
  return { cookie: `__Host-gatehouse=${redeemed.secret}` }
}

suite('forward authentication: what a proxy tells', async () => {
  const app = await testApp({
    ...proxied,
    CORS_ORIGINS: 'https://app.example.org',
    RATE_LIMIT_MAX: '5000',
    FORWARD_AUTH_FILE: forwardFile(rules),
  })
  const ann = await app.account('ann')
  const bearer = await app.bearer(ann)
  const { cookie } = await app.session(ann)
  const { port } = await app.listen()
  const raw = async (line: string, headers: string[], body = '') => {
    const lines = ['Host: 127.0.0.1', 'Connection: close', ...headers]
    const { answers } = await exchange(port, `${line}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
    const [answer = assert.fail('no answer')] = answers
    return { ...answer, length: answers.length }
  }
  const lines = (asked: Asked = {}) =>
    Object.entries(forwarded(asked)).map(([name, value]) => `${name}: ${value}`)
  const authorization = `Authorization: ${bearer.authorization}`

  test('from a peer that is no proxy: 400, also what is open to anyone', async () => {
    const before = await app.rows(...kept)
    for (const from of ['203.0.113.7', '10.0.0.1', '::1', '2001:db8::7']) {
      for (const headers of [{}, bearer, { ...bearer, 'x-forwarded-for': '127.0.0.1' }]) {
        for (const uri of ['/open/', '/']) {
          const sent = { ...forwarded({ uri }), ...headers }
          const answer = await app.call('GET', forwardPath, { headers: sent, from })
          assertRefused(answer, 400, 'Bad request', from)
        }
      }
    }
    const mapped = { headers: { ...forwarded(), ...bearer }, from: '::ffff:127.0.0.1' }
    assert.equal((await app.call('GET', forwardPath, mapped)).status, 200) // the same proxy
    assert.deepEqual(await app.rows(...kept), before)
  })

  test('each of the four headers is needed', async () => {
    for (const name of Object.keys(forwarded())) {
      const { [name]: _, ...others } = { ...forwarded(open), ...bearer }
      assertRefused(
        await app.call('GET', forwardPath, { headers: others }),
        400,
        'Bad request',
        name,
      )
    }
  })

  test('each of them counts once: doubled, in another case, empty, or as a list', async () => {
    for (const [name, value] of Object.entries(forwarded(open))) {
      for (const second of [value, '', 'evil.example', '/open/', 'https']) {
        for (const both of [
          [`${name}: ${value}`, `${name.toUpperCase()}: ${second}`],
          [`${name}: ${second}`, `${name}: ${value}`],
          [`${name}: ${value},${second}`],
          [`${name}: ${value} ${second}`],
        ]) {
          const others = lines(open).filter((line) => !line.startsWith(name))
          // A list of one path is one path with a comma; one with a space is none.
          if (name === 'x-forwarded-uri' && both[0]?.includes(',')) continue
          if (both.length === 1 && second === '' && !both[0]?.includes(',')) continue
          const answer = await raw(`GET ${forwardPath} HTTP/1.1`, [...others, ...both])
          assert.equal(answer.status, 400, both.join(' | '))
        }
      }
    }
  })

  test('hosts that no browser writes', async () => {
    for (const host of [
      ...['', ' ', '.', '..', `.${wiki}`, `${wiki}..`, 'wiki..example.org', 'a b', `${wiki}/`],
      ...[
        `x@${wiki}`,
        `${wiki}@evil.example`,
        `${wiki}?`,
        `${wiki}#`,
        `${wiki}\\`,
        `https://${wiki}`,
      ],
      ...[
        `${wiki}:`,
        `${wiki}:0443`,
        `${wiki}:99999`,
        `${wiki}:x`,
        `${wiki}:443:443`,
        '%77iki',
        '*',
      ],
      ...['wïki.example.org', '0x7f.1', '127.1', '2130706433', '017700000001', '[::0:1]', '[::1'],
      ...['::1', '[::ffff:127.0.0.1]', 'a'.repeat(300), 'wiki.example.org,b'],
    ]) {
      const answer = await askForward(app, { ...open, host, headers: bearer })
      assertRefused(answer, 400, 'Bad request', host)
    }
    for (const host of ['WIKI.Example.ORG', `${wiki}.`, `${wiki}:443`, `${wiki}.:443`]) {
      assert.equal((await askForward(app, { ...open, host })).status, 200, host)
    }
    for (const host of [`${wiki}:444`, `x.${wiki}`, 'example.org', `${wiki}.evil.example`]) {
      assertRefused(await askForward(app, { ...open, host }), 403, 'Access denied', host)
    }
    assert.equal(parseSite('http', 'A.example:80')?.origin, 'http://a.example')
    assert.equal(parseSite('https', 'a.example:80')?.origin, 'https://a.example:80')
    assert.equal(parseSite('https', '[::1]:8443')?.hostname, '[::1]')
  })

  test('schemes', async () => {
    for (const proto of [
      '',
      'HTTPS',
      'ftp',
      'https:',
      'https://',
      'toString',
      '__proto__',
      'httpss',
    ]) {
      assertRefused(await askForward(app, { ...open, proto }), 400, 'Bad request', proto)
    }
    for (const proto of ['wss', 'ws']) {
      assert.equal((await askForward(app, { ...open, proto })).status, 200, proto)
    }
    assertRefused(await askForward(app, { proto: 'ws', headers: bearer }), 400, 'Bad request')
  })

  test('addresses that are no path of a request', async () => {
    for (const uri of [
      ...['', ' ', 'open/', '*', '?a', '#a', '/open/#a', 'https://wiki.example.org/open/', '//\\ '],
      ...['/open/ x', '/open/\t', '/open/ü', '/open/%', '/open/%2', '/open/%zz', '/open/%u0041'],
      ...['/open/%00', '/open/%0a', '/open/%0D%0A', '/open/%7f', '/open/%c2%80', '/open/%c0%af'],
      ...['/open/%ff', '/open/%e2%28%a1', '/open/%ed%a0%80', `/open/${'a'.repeat(8200)}`],
    ]) {
      const answer = await askForward(app, { uri, headers: bearer })
      assertRefused(answer, 400, 'Bad request', uri.slice(0, 40))
    }
    for (const uri of ['/open/%C3%BC', '/open/?q=100%', '/open/?a', '/open/a,b;c']) {
      assert.equal((await askForward(app, { uri })).status, 200, uri)
    }
    assert.equal((await askForward(app, { uri: `/open/${'a'.repeat(8180)}` })).status, 200)
  })

  test('a very long address leads back to the start of the application', async () => {
    const long = { uri: `/${'a'.repeat(4000)}`, headers: navigation }
    const answer = await askForward(app, long)
    assert.equal(answer.status, 302)
    const { searchParams } = new URL(String(answer.headers.location))
    assert.equal(searchParams.get('return_to'), `https://${wiki}/`)
  })

  test('another spelling of an open path never opens another one', async () => {
    for (const uri of [
      ...['/open/../secret', '/open/%2e%2e/secret', '/open/..%2fsecret', '/open/..;/secret'],
      ...['/open/..\\secret', '/open//../secret', '/open/%252e%252e/secret', '/open/./../secret'],
      ...[
        '/open;/../secret',
        '/OPEN/../secret',
        '//open/../secret',
        '/open/x/%2e%2e%2f%2e%2e/secret',
      ],
    ]) {
      const answer = await askForward(app, { uri })
      assert.notEqual(answer.status, 200, uri)
      tellsNothing(answer, uri)
    }
  })

  test('a method that is none, and those that an application may take in its place', async () => {
    const uri = '/read/x'
    for (const method of [
      '',
      ' ',
      'get',
      'G T',
      'GET,POST',
      'GET;',
      '1',
      'A'.repeat(40),
      'G\u00cbT',
    ]) {
      assertRefused(
        await askForward(app, { uri, method, headers: bearer }),
        400,
        'Bad request',
        method,
      )
    }
    const asked = (headers: Headers, more: Asked = {}) =>
      askForward(app, { uri, ...more, headers: { ...bearer, ...headers } })
    assert.equal((await asked({})).status, 200)
    assert.equal((await asked({}, { method: 'HEAD' })).status, 200)
    assertRefused(await asked({}, { method: 'DELETE' }), 403, 'Access denied')
    for (const name of [
      ...['x-http-method-override', 'X-Method-Override', 'x-http-method'],
      ...['X_HTTP_Method_Override', 'x-method_override'], // CGI, WSGI and PHP take _ for -
    ]) {
      for (const value of ['DELETE', 'delete', ' Post ', 'GET, DELETE', 'PUT,GET']) {
        assertRefused(await asked({ [name]: value }), 403, 'Access denied', `${name}: ${value}`)
      }
      assert.equal((await asked({ [name]: 'GET' })).status, 200)
      // Thousands of names, each judged in each reading of a path, would take seconds.
      const [eight = '', nine = ''] = [8, 9].map((count) =>
        'ABCDEFGHI'.split('').slice(0, count).join(),
      )
      assertRefused(await asked({ [name]: eight }), 403, 'Access denied')
      assertRefused(await asked({ [name]: nine }), 400, 'Bad request')
      assertRefused(await asked({ [name]: 'D LETE' }), 400, 'Bad request')
    }
    for (const query of ['_method=DELETE', 'a=1&_method=put', '%5Fmethod=DELETE', '_METHOD=PUT']) {
      assertRefused(await asked({}, { uri: `${uri}?${query}` }), 403, 'Access denied', query)
    }
    assertRefused(await asked({}, { uri: `${uri}?_method=a%20b` }), 400, 'Bad request')
    for (const query of ['_method=', '_method=get', 'method=DELETE', 'q=%', '_methods=DELETE']) {
      assert.equal((await asked({}, { uri: `${uri}?${query}` })).status, 200, query)
    }
  })

  test('the path that Envoy appends is the one that is judged', async () => {
    const at = (path: string) => `${forwardPath}${path}`
    for (const [path, uri] of [
      ['/open/x', '/secret'],
      ['/secret', '/open/x'],
      ['/open/', '/open'],
      ['/', '/open/'],
      ['/open/%78', '/open/x'],
      ['//open/', '/open/'],
      ['/open/x/../y', '/open/y'],
    ] as const) {
      const asked = [...lines({ uri }), authorization]
      const answer = await raw(`GET ${at(path)} HTTP/1.1`, asked)
      assertRefused(answer, 400, 'Bad request', path)
    }
    assert.equal((await askForward(app, { at: at('/open/x?b=2'), uri: '/open/x?a=1' })).status, 200)
    for (const target of [
      `http://127.0.0.1${forwardPath}`,
      `http://${wiki}${forwardPath}/open/`,
      '/api/authz/%66orward',
      '/api/authz/%66orward/open/',
    ]) {
      const answer = await raw(`GET ${target} HTTP/1.1`, lines(open))
      assert.deepEqual([answer.status, answer.body], [400, '{"error":"Bad request"}'], target)
    }
    for (const target of ['/api/authz/forwarded', '/api/authz/FORWARD', '/api//authz/forward']) {
      assert.equal((await raw(`GET ${target} HTTP/1.1`, lines(open))).status, 404, target)
    }
  })

  test('a preflight for an application is judged like any other request', async () => {
    const headers = {
      origin: 'https://app.example.org',
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'authorization',
    }
    for (const at of [forwardPath, `${forwardPath}/`]) {
      const answer = await askForward(app, { at, by: 'OPTIONS', method: 'OPTIONS', headers })
      assertRefused(answer, 401, 'Authentication required')
      for (const name of ['origin', 'methods', 'credentials']) {
        assert.equal(answer.headers[`access-control-allow-${name}`], undefined, name)
      }
    }
    // Elsewhere it is answered: the setting is on.
    const own = await app.call('OPTIONS', '/users', { headers })
    assert.equal(own.headers['access-control-allow-origin'], 'https://app.example.org')
  })

  test('methods on the wire: HEAD, TRACE, WebDAV, CONNECT and what is none', async () => {
    for (const method of [
      'HEAD',
      'TRACE',
      'PROPFIND',
      'MKCOL',
      'LOCK',
      'QUERY',
      'M-SEARCH',
      'PURGE',
    ]) {
      const asked = lines({ method })
      const refused = await raw(`${method} ${forwardPath} HTTP/1.1`, asked)
      assert.equal(refused.status, 401, method)
      const passed = await raw(`${method} ${forwardPath} HTTP/1.1`, [...asked, authorization])
      assert.deepEqual([passed.status, passed.body], [200, ''], method)
      assert.equal(passed.headers['remote-user'], 'ann', method)
    }
    for (const [method, status] of [
      ['CONNECT', 404],
      ['FOO', 400],
      ['get', 400],
    ] as const) {
      const { text } = await exchange(port, `${method} ${forwardPath} HTTP/1.1\r\nHost: a\r\n\r\n`)
      assert.match(text, new RegExp(`^HTTP/1.1 ${status} `), method)
      assert.doesNotMatch(text, /remote-user/i)
    }
  })

  test('QUERY, which Fastify refuses without a type of its body, is a method of every route', async () => {
    for (const [path, status] of [
      ['/api/public/nothing', 404],
      ['/api/admin/nothing', 401],
      ['/users', 404],
    ] as const) {
      const { status: answered } = await raw(`QUERY ${path} HTTP/1.1`, [])
      assert.equal(answered, status, path)
    }
  })

  test('a body is not read, however it comes', async () => {
    const asked = [...lines({ method: 'POST' }), authorization]
    for (const [headers, body] of [
      [['Content-Length: 5'], 'a=b&c'],
      [['Content-Length: 9', 'Content-Type: application/json'], '{"broken'],
      [['Content-Length: 2', 'Content-Type: text/html'], 'ab'],
      [['Transfer-Encoding: chunked'], '3\r\nabc\r\n0\r\n\r\n'],
      [['Content-Length: 0'], ''],
      [['Expect: 100-continue', 'Content-Length: 10485760'], ''],
      [['Content-Length: 10485760', 'Content-Type: multipart/form-data; boundary=x'], ''],
    ] as const) {
      for (const method of ['POST', 'PUT', 'GET', 'QUERY', 'PROPPATCH']) {
        const answer = await raw(`${method} ${forwardPath} HTTP/1.1`, [...asked, ...headers], body)
        assert.deepEqual([answer.status, answer.length], [200, 1], `${method} ${headers.join()}`)
      }
    }
    // A body that never comes leaves no one waiting: the answer is there before it.
    const { text } = await exchange(
      port,
      rawRequest(`POST ${forwardPath} HTTP/1.1`, { ...forwarded(), 'Content-Length': '99' }),
      { endWhen: (sofar) => sofar.includes('\r\n\r\n') },
    )
    assert.match(text, /^HTTP\/1\.1 401 /)
  })

  test('two Authorization headers are none', async () => {
    for (const second of [authorization, 'Authorization: Basic YTpi', 'authorization: ']) {
      const answer = await raw(`GET ${forwardPath} HTTP/1.1`, [...lines(), authorization, second])
      assert.equal(answer.status, 400, second)
    }
  })

  test('a header decides alone, and falls through to no cookie', async () => {
    for (const value of [
      '',
      'Bearer',
      'Basic',
      'Digest a',
      'Negotiate a',
      'Basic !',
      'Bearer a.b.c',
    ]) {
      const headers = { cookie, authorization: value }
      const answer = await askForward(app, { host: 'id.example.org', headers })
      assert.equal(answer.status, 401, value)
      tellsNothing(answer, value)
    }
  })

  test('the cookie of the service counts at its own host alone, by its exact name', async () => {
    const at = (host: string, value: string) =>
      askForward(app, { host, headers: { cookie: value } })
    assert.equal((await at('id.example.org', cookie)).status, 200)
    assert.equal((await at(wiki, cookie)).status, 401)
    const secret = cookie.split('=')[1] ?? ''
    for (const value of [
      ...[`jsessionid=${secret}`, `JSESSIONIDX=${secret}`, `XJSESSIONID=${secret}`, secret],
      ...[`__Host-gatehouse=${secret}`, `JSESSIONID="${secret}x"`, `JSESSIONID=${secret.slice(1)}`],
      ...[`a=JSESSIONID=${secret}`, `JSESSIONID =${secret}x`, `JSESSIONID=${digest(secret)}`],
    ]) {
      const answer = await at('id.example.org', value)
      assert.equal(answer.status, 401, value)
      assert.equal(answer.headers['remote-user'], undefined)
    }
  })

  test('what the client calls itself is not heard', async () => {
    const claimed = { 'remote-user': 'admin', 'Remote-Groups': 'ADMIN', remote_user: 'admin' }
    assertRefused(await askForward(app, { headers: claimed }), 401, 'Authentication required')
    const answer = await askForward(app, { headers: { ...claimed, ...bearer } })
    assert.deepEqual(
      [answer.headers['remote-user'], answer.headers['remote-groups']],
      ['ann', 'USER'],
    )
    tellsNothing(await askForward(app, { ...open, headers: claimed }))
  })

  test('nothing is changed by any of it, but what refusals leave', async () => {
    const before = await app.rows(...kept)
    for (const headers of [{}, navigation, bearer, { ...bearer, 'x-forwarded-for': '192.0.2.1' }]) {
      for (const by of ['GET', 'POST', 'DELETE', 'PROPPATCH']) {
        await askForward(app, { by, method: by, headers })
        await askForward(app, { by, method: by, uri: '/strong/', headers })
        await askForward(app, { by, method: by, host: 'evil.example', headers })
      }
    }
    assert.deepEqual(await app.rows(...kept), before)
  })

  test('the general limit does not count what applications are asked for', async () => {
    const limited = await testApp({
      ...proxied,
      RATE_LIMIT_MAX: '1',
      FORWARD_AUTH_FILE: forwardFile(rules),
    })
    for (const by of ['GET', 'POST', 'PUT']) {
      for (let time = 0; time < 3; time += 1) {
        assert.equal((await askForward(limited, { ...open, by, method: by })).status, 200)
      }
    }
    await limited.call('GET', '/api/public/status')
    assert.equal((await limited.call('GET', '/api/public/status')).status, 429)
  })

  test('the answers are counted by kind', async () => {
    const counts = app.deps.measurements.of(forwardDecisions)
    const before = { ...counts }
    await askForward(app, open)
    await askForward(app, { headers: bearer })
    await askForward(app)
    await askForward(app, { headers: navigation })
    await askForward(app, { host: 'evil.example' })
    await askForward(app, { host: '' })
    const added = Object.entries(counts).map(([name, count]) => [
      name,
      count - before[name as keyof typeof before],
    ])
    assert.deepEqual(Object.fromEntries(added), {
      ...{ allowed: 1, bypass: 1, sign_in: 1, unauthenticated: 1, denied: 1, bad_request: 1 },
      unavailable: 0,
    })
    const { text } = await app.call('GET', '/metrics', { headers: app.basic(app.admin) })
    assert.match(text, /^gatehouse_forward_decisions_total\{answer="allowed"\} [1-9]/m)
  })
})

suite('forward authentication: the names of two people are never the same', () => {
  test('each byte that is not plain is encoded, and so is what encodes', () => {
    for (const [name, told] of [
      ['ann', 'ann'],
      ['ann smith', 'ann smith'],
      ['a,b;c="d"\\', 'a,b;c="d"\\'],
      ['50%', '50%25'],
      ['%61nn', '%2561nn'],
      ['jürgen', 'j%C3%BCrgen'],
      ['ανα', '%CE%B1%CE%BD%CE%B1'],
      ['😀', '%F0%9F%98%80'],
      [' ann', '%20ann'],
      ['ann ', 'ann%20'],
      [' ', '%20'],
      ['  ', '%20%20'],
      ['a\tb\r\nc\u007f\u0000', 'a%09b%0D%0Ac%7F%00'],
      ['a\u00a0b', 'a%C2%A0b'],
    ] as const) {
      assert.equal(headerText(name), told)
      assert.match(headerText(name), /^[\x20-\x7e]*$/)
      assert.equal(decodeURIComponent(headerText(name)), name)
    }
  })

  test('a thousand names, of pieces that are alike, have a thousand values', () => {
    const pieces = ['a', 'A', '%', '%25', '%61', ' ', 'ü', '%C3%BC', 'u\u0308', ',', '\u200b']
    const names = pieces.flatMap((one) =>
      pieces.flatMap((two) => pieces.map((three) => one + two + three)),
    )
    const all = new Set(names)
    assert.ok(all.size > 1000)
    assert.equal(new Set([...all].map(headerText)).size, all.size)
  })
})

suite('forward authentication: who is asked about', async () => {
  const clock = clockOfToday()
  const idp = await identityProvider()
  const app = await testApp(
    {
      ...proxied,
      ...settingsFor(idp, { OIDC_REDIRECT_URI: `${home}/oauth/callback` }),
      TOKEN_ISSUER: home,
      ROLES: 'FAMILY',
      REQUIRE_SECOND_FACTOR: 'FAMILY',
      LOGIN_IP_ATTEMPTS: '0',
      FORWARD_AUTH_FILE: forwardFile(rules),
    },
    { clock },
  )
  const atHost = ({ cookie = '' }: Headers) => hostSession(app, cookie)
  const admin = await app.bearer(app.admin)
  const change = (username: string, json: object) =>
    app.call('PUT', `/api/admin/accounts/${username}`, { headers: admin, json })
  const atHome = (headers: Headers, more: Asked = {}) =>
    askForward(app, { host: 'id.example.org', ...more, headers })

  test('a session at the host of an application counts there, and nowhere else', async () => {
    const session = await app.session(await app.account('ann'))
    const headers = await atHost(session)
    const answer = await askForward(app, { headers })
    assert.deepEqual([answer.status, answer.headers['remote-user']], [200, 'ann'])
    assert.equal(answer.headers.cookie, undefined)
    const elsewhere = await askForward(app, { host: 'files.example.org', headers })
    assertRefused(elsewhere, 401, 'Authentication required')
    assertRefused(await atHome(headers), 401, 'Authentication required')
    const { cookie = '' } = headers
    const secret = cookie.split('=')[1]
    for (const value of [cookie, `JSESSIONID=${secret}`, `${cookie}; JSESSIONID=${secret}`]) {
      assert.equal(
        (await app.call('GET', '/api/session', { headers: { cookie: value } })).status,
        401,
      )
    }
  })

  for (const [what, end] of [
    [
      'signing out',
      (_: string, session: Headers) => app.call('POST', '/logout', { headers: session }),
    ],
    ['a lock', (name: string) => change(name, { locked: true })],
    ['disabling', (name: string) => change(name, { active: false })],
    ['another password', (name: string) => change(name, { password: 'harbour violet 88 anthem' })],
    [
      'deletion',
      (name: string) => app.call('DELETE', `/api/admin/accounts/${name}`, { headers: admin }),
    ],
  ] as const) {
    test(`${what} counts at the next request, for each credential`, async () => {
      const name = what.replaceAll(' ', '-')
      const who = await app.account(name)
      const session = await app.session(who)
      const credentials: Record<string, () => Promise<Answer>> = {
        session: () => atHome({ cookie: session.cookie }),
        ...(await (async () => {
          const headers = await atHost(session)
          return { host: () => askForward(app, { headers }) }
        })()),
      }
      if (what !== 'signing out') {
        const [bearer, basic] = [await app.bearer(who), app.basic(who)]
        credentials.bearer = () => askForward(app, { headers: bearer })
        credentials.basic = () => askForward(app, { headers: basic })
      }
      for (const [by, ask] of Object.entries(credentials)) {
        assert.equal((await ask()).headers['remote-user'], name, by)
        assert.equal((await ask()).status, 200, by)
      }
      assert.equal((await end(name, session)).status, 200)
      for (const [by, ask] of Object.entries(credentials)) {
        const answer = await ask()
        assert.equal(answer.status, 401, by)
        tellsNothing(answer, by)
      }
    })
  }

  test('a revoked token, and one that has expired', async () => {
    const who = await app.account('rita')
    const headers = await app.bearer(who)
    assert.equal((await askForward(app, { headers })).status, 200)
    const token = headers.authorization?.slice('Bearer '.length)
    await app.call('POST', '/api/admin/tokens/revoke', { headers: admin, json: { token } })
    assertRefused(await askForward(app, { headers }), 401, 'Invalid or expired token')
    const { refresh_token } = await app.pair(who)
    const refresh = { authorization: `Bearer ${refresh_token}` }
    assertRefused(await askForward(app, { headers: refresh }), 401, 'Invalid or expired token')
  })

  test('new roles count at the next request of a session', async () => {
    const who = await app.account('rolf')
    const session = await app.session(who)
    const headers = await atHost(session)
    await change('rolf', { roles: ['USER', 'ADMIN'] })
    for (const answer of [
      await atHome({ cookie: session.cookie }),
      await askForward(app, { headers }),
    ]) {
      assert.equal(answer.headers['remote-groups'], 'USER,ADMIN')
    }
  })

  test('who must enrol a second factor first is not signed in, by session and by token', async () => {
    const who = await app.account('edda')
    const session = await app.session(who)
    const headers = await atHost(session)
    await change('edda', { roles: ['FAMILY'] })
    assertRefused(await atHome({ cookie: session.cookie }), 401, 'Authentication required')
    assertRefused(await askForward(app, { headers }), 401, 'Authentication required')
    const { username, password } = who
    const login = await app.call('POST', '/login', { json: { username, password } })
    assert.equal(login.body.error, 'Second factor enrolment required')
    const enrolment = { authorization: `Bearer ${login.body.enrolment_token}` }
    assertRefused(await askForward(app, { headers: enrolment }), 401, 'Invalid or expired token')
    assertRefused(
      await askForward(app, { headers: app.basic(who) }),
      401,
      'Authentication required',
    )
    await enrol(app, enrolment)
    assertRefused(await askForward(app, { headers: enrolment }), 401, 'Invalid or expired token')
  })

  test('two factors: only a login with both', async () => {
    const { who, device } = await enrolled(app, 'tom')
    const { username, password } = who
    const uri = '/strong/'
    const form = { username, password, totp: device.code(), mode: 'session' }
    const login = await app.call('POST', '/login', { form })
    const strong = { cookie: `JSESSIONID=${login.cookies.JSESSIONID}` }
    const headers = await atHost(strong)
    assert.equal((await askForward(app, { uri, headers })).headers['remote-user'], 'tom')
    const weak = await atHost(await app.session(await app.account('tim')))
    assertRefused(await askForward(app, { uri, headers: weak }), 403, 'Access denied')
    const person = await askForward(app, { uri, headers: { ...navigation, ...weak } })
    assert.equal(person.status, 302)
    assert.match(String(person.headers.location), /&browser=[\w-]{43}&again=1&two_factor=1$/)
    // A credential of a header would come back as it is.
    const bearer = { ...navigation, ...(await app.bearer(await app.account('tam'))) }
    assert.equal((await askForward(app, { uri, headers: bearer })).status, 403)
  })

  test('the address is told once it is verified, encoded, and no longer than it is', async () => {
    const who = await app.account('vera', ['USER'], { email: 'unproven@example.org' })
    const session = await app.session(who)
    const headers = await atHost(session)
    const told = async () => [
      (await askForward(app, { headers })).headers['remote-email'],
      (await atHome({ cookie: session.cookie })).headers['remote-email'],
      (await askForward(app, { headers: app.basic(who) })).headers['remote-email'],
    ]
    assert.deepEqual(await told(), [undefined, undefined, undefined])
    await verifyAddress(app, who, '50%@example.org')
    assert.deepEqual(await told(), Array(3).fill('50%25@example.org'))
    const token = await app.bearer(who)
    const answer = await askForward(app, { headers: token })
    assert.equal(answer.headers['remote-email'], '50%25@example.org')
  })

  test('a name that is not plain is encoded, and that of another is another', async () => {
    const values = []
    for (const name of ['50%', '50%25', 'jürgen', 'j%C3%BCrgen', 'a b', '名前']) {
      const who = await app.account(name)
      const answer = await askForward(app, { headers: await app.bearer(who) })
      values.push(answer.headers['remote-user'])
    }
    assert.deepEqual(values, [
      ...['50%25', '50%2525', 'j%C3%BCrgen', 'j%25c3%25bcrgen', 'a b', '%E5%90%8D%E5%89%8D'],
    ])
  })

  test("a provider's token without an account here is no one's, whatever name it has", async () => {
    const token = (claims: object) => ({
      authorization: `Bearer ${idp.signed(idp.claims(claims as Record<string, string>))}`,
    })
    const claims = {
      sub: 'robot',
      preferred_username: 'admin',
      roles: ['ADMIN'],
      email_verified: true,
    }
    assertRefused(await askForward(app, { headers: token(claims) }), 403, 'Access denied')
    const broken = { authorization: `${token(claims).authorization}x` }
    assertRefused(await askForward(app, { headers: broken }), 401, 'Invalid or expired token')
  })

  test('one that is linked to an account has the name of the account', async () => {
    const { userId } = await app.account('linda')
    const claims = idp.claims({ sub: 'linked', preferred_username: 'admin', roles: ['USER'] })
    const headers = { authorization: `Bearer ${idp.signed(claims)}` }
    assertRefused(await askForward(app, { headers }), 403, 'Access denied')
    const identity = { user_id: userId, issuer: idp.issuer, subject: 'linked', created_at: 0 }
    await app.deps.db.insertInto('identities').values(identity).execute()
    const answer = await askForward(app, { headers })
    assert.deepEqual([answer.status, answer.headers['remote-user']], [200, 'linda'])
    await change('linda', { locked: true })
    assertRefused(await askForward(app, { headers }), 401, 'Invalid or expired token')
  })

  test('wrong passwords by Basic count against their limits, as everywhere', async () => {
    const who = await app.account('guess')
    const headers = app.basic({ ...who, password: 'wrong' })
    for (let tries = 0; tries < 5; tries += 1) {
      assertRefused(await askForward(app, { headers }), 401, 'Authentication required')
    }
    assertRefused(
      await askForward(app, { headers: app.basic(who) }),
      429,
      'Too many login attempts',
    )
  })
})

suite('forward authentication: a database that is away allows nothing', async () => {
  let isAway = false
  const { directory, db, asyncCommitDb, ...connected } = await connectTo()
  const away: KyselyPlugin = {
    transformQuery({ node }) {
      if (isAway) throw new DatabaseUnavailable('gone')
      return node
    },
    // A statement that is compiled already is not transformed.
    async transformResult({ result }) {
      if (isAway) throw new DatabaseUnavailable('gone')
      return result
    },
  }
  const deps = {
    ...connected,
    db: db.withPlugin(away),
    asyncCommitDb: asyncCommitDb.withPlugin(away),
  }
  const settings = { ...proxied, FORWARD_AUTH_FILE: forwardFile(rules) }
  const app = await testApp(settings, { directory, deps })
  const ann = await app.account('ann')
  const { cookie } = await app.session(ann)
  const basic = app.basic(ann)

  for (const [by, asked] of [
    ['a session', { host: 'id.example.org', headers: { cookie } }],
    ['a session at a host', { headers: { cookie: `__Host-gatehouse=${'a'.repeat(43)}` } }],
    ['Basic', { headers: basic }],
  ] as const) {
    test(`${by}: 503, for a person as well, and 200 again once it is there`, async () => {
      const before = app.deps.measurements.of(forwardDecisions).unavailable
      for (const more of [{}, navigation]) {
        const headers = { ...asked.headers, ...more }
        isAway = true
        const answer = await askForward(app, { ...asked, headers })
        isAway = false
        assertRefused(answer, 503, 'Service unavailable', by)
        assert.equal(answer.headers.location, undefined)
      }
      assert.equal(app.deps.measurements.of(forwardDecisions).unavailable, before + 2)
      const status = by === 'a session at a host' ? 401 : 200
      assert.equal((await askForward(app, asked)).status, status)
    })
  }

  test('what is open to anyone asks nothing of it', async () => {
    isAway = true
    const answer = await askForward(app, open)
    isAway = false
    assert.equal(answer.status, 200)
  })
})

suite('forward authentication: a decision from memory', async () => {
  const { options, during } = await countedDatabase()
  const settings = { ...proxied, FORWARD_AUTH_FILE: forwardFile(rules) }
  const app = await testApp(settings, options)
  const ann = await app.account('ann')
  const bearer = await app.bearer(ann)
  const { cookie } = await app.session(ann)

  test('bearer, and what is open: no statement', async () => {
    for (const asked of [{ headers: bearer }, open]) {
      assert.equal((await askForward(app, asked)).status, 200)
      const { result, count } = await during(() => askForward(app, asked))
      assert.deepEqual([result.status, count.statements], [200, 0])
    }
  })

  // PostgreSQL has no number that tells whether anything has changed: there the row is read.
  sqliteOnly('a session: no statement until anything in the database changes', async () => {
    const atHost = await hostSession(app, cookie)
    for (const [name, asked] of [
      ['bea', { host: 'id.example.org', headers: { cookie } }],
      ['max', { headers: atHost }],
    ] as const) {
      assert.equal((await askForward(app, asked)).status, 200)
      const remembered = await during(() => askForward(app, asked))
      assert.deepEqual([remembered.result.status, remembered.count.statements], [200, 0])
      await app.account(name)
      const anew = await during(() => askForward(app, asked))
      assert.deepEqual([anew.result.status, anew.count.statements], [200, 1])
    }
  })
})

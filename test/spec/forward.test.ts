import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { suite, test } from 'node:test'
import { digest } from '../../src/core/crypto/digest.ts'
import { type Answer, testApp } from '../app.ts'
import { askForward, forwardPath, home, navigation, proxied } from '../forward.ts'
import { forwardFile } from '../forward-file.ts'
import { assertHeaders, assertPage, assertRefusal } from '../refusal.ts'

const remote = ({ headers }: Answer) => [
  headers['remote-user'],
  headers['remote-groups'],
  headers['remote-email'],
]
const noRemote = [undefined, undefined, undefined]

/** The request may pass; the answer has no body, and no more than is asserted. */
function assertAllowed(answer: Answer, told: readonly (string | undefined)[], about = ''): void {
  assert.deepEqual([answer.status, answer.text], [200, ''], about)
  assert.deepEqual(remote(answer), told, about)
  assert.equal(answer.headers['content-length'], '0', about)
  assertHeaders(answer, about)
}

const challenges = ['Basic realm="API", charset="UTF-8"', 'Bearer realm="API"']

suite('forward authentication: GET /api/authz/forward', async () => {
  const app = await testApp({
    ...proxied,
    ROLES: 'FAMILY',
    FORWARD_AUTH_FILE: forwardFile([
      { hosts: ['wiki.example.org'], paths: ['/public/*'], policy: 'bypass' },
      {
        hosts: ['wiki.example.org'],
        paths: ['/editors/*'],
        roles: ['EDITOR'],
        policy: 'one_factor',
      },
      { hosts: ['wiki.example.org'], paths: ['/editors/*'], policy: 'deny' },
      { hosts: ['wiki.example.org'], paths: ['/safe/*'], policy: 'two_factor' },
      { hosts: ['wiki.example.org', 'id.example.org', 'localhost:8080'], policy: 'one_factor' },
    ]),
  })
  const ann = await app.account('ann')
  const eve = await app.account('eve', ['USER', 'EDITOR'])
  const bearer = await app.bearer(ann)
  const { cookie } = await app.session(ann)

  test('bearer, Basic and, at the host of the service, the session: 200 with who it is', async () => {
    const before = await app.rows('throttle_places')
    for (const headers of [bearer, app.basic(ann)]) {
      assertAllowed(await askForward(app, { headers }), ['ann', 'USER', undefined])
    }
    const atHome = { host: 'id.example.org', headers: { cookie } }
    assertAllowed(await askForward(app, atHome), ['ann', 'USER', undefined])
    assertAllowed(await askForward(app, { headers: app.basic(eve) }), [
      'eve',
      'USER,EDITOR',
      undefined,
    ])
    assert.deepEqual(await app.rows('throttle_places'), before)
  })

  test('each method that Node knows, at the path and below it', async () => {
    for (const by of METHODS.filter((method) => method !== 'CONNECT')) {
      const asked = { by, method: by, headers: bearer, uri: '/page?a=1' }
      assertAllowed(await askForward(app, asked), ['ann', 'USER', undefined], by)
      const below = { ...asked, at: `${forwardPath}/page?a=1` }
      assertAllowed(await askForward(app, below), ['ann', 'USER', undefined], by)
      assert.equal((await askForward(app, { by, method: by })).status, 401, by)
    }
  })

  test('a session needs no CSRF token to change something in an application', async () => {
    for (const by of ['POST', 'PUT', 'DELETE', 'PROPPATCH']) {
      const asked = { by, method: by, host: 'id.example.org', headers: { cookie } }
      assertAllowed(await askForward(app, asked), ['ann', 'USER', undefined])
    }
  })

  test('bypass: nothing is asked of the caller, and nothing told', async () => {
    for (const headers of [{}, bearer, { authorization: 'Bearer nonsense' }]) {
      assertAllowed(await askForward(app, { uri: '/public/a', headers }), noRemote)
    }
  })

  test('without a credential: 401 for programs, with the challenges', async () => {
    const answer = await askForward(app)
    assertRefusal(answer, 401, 'Authentication required')
    assert.deepEqual(answer.headers['www-authenticate'], challenges)
    assert.equal(answer.cookies['__Host-gatehouse-browser'], undefined)
  })

  test('a navigation is sent to the sign-in, and comes back to its address', async () => {
    const answer = await askForward(app, { uri: '/a%20b?c=d&e', headers: navigation })
    const browser = answer.cookies['__Host-gatehouse-browser'] ?? ''
    assert.deepEqual([answer.status, answer.text], [302, ''])
    const address = encodeURIComponent('https://wiki.example.org/a%20b?c=d&e')
    const expected = `${home}/signin?return_to=${address}&browser=${digest(browser)}`
    assert.equal(answer.headers.location, expected)
    assert.match(
      String(answer.headers['set-cookie']),
      /^__Host-gatehouse-browser=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    assert.equal(answer.headers['www-authenticate'], undefined)

    const again = { ...navigation, cookie: `a=b; __Host-gatehouse-browser=${browser}` }
    const second = await askForward(app, { headers: again })
    assert.match(String(second.headers.location), new RegExp(`&browser=${digest(browser)}$`))
  })

  test('nginx gets the address as the Location of a 401', async () => {
    const at = `${forwardPath}?proxy=nginx`
    const answer = await askForward(app, { at, headers: navigation })
    assertRefusal(answer, 401, 'Authentication required')
    assert.match(String(answer.headers.location), /^https:\/\/id\.example\.org\/signin\?return_to=/)
    assert.equal(answer.headers['www-authenticate'], 'Bearer realm="API"')
    assert.match(String(answer.headers['set-cookie']), /^__Host-gatehouse-browser=[\w-]{43};/)
    // Below the route, the query is that of the application.
    const uri = '/x?proxy=nginx'
    const below = await askForward(app, { uri, at: `${forwardPath}${uri}`, headers: navigation })
    assert.equal(below.status, 302)
  })

  test('what is no navigation gets 401: a fetch, a frame, a WebSocket, a script of old', async () => {
    const { accept = '' } = navigation
    for (const headers of [
      { 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', accept },
      { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe', accept },
      { ...navigation, upgrade: 'websocket' },
      { accept, 'x-requested-with': 'XMLHttpRequest' },
      { accept: '*/*' },
      { accept: 'application/json' },
    ]) {
      const answer = await askForward(app, { headers })
      assertRefusal(answer, 401, 'Authentication required', JSON.stringify(headers))
    }
    assert.equal((await askForward(app, { headers: { accept } })).status, 302) // a browser of old
  })

  test('a bad credential is no navigation: the sign-in could not help', async () => {
    const headers = { ...navigation, authorization: 'Bearer nonsense' }
    const answer = await askForward(app, { headers })
    assert.equal(answer.status, 401)
    const challenge = 'Bearer realm="API", error="invalid_token"'
    assert.equal(answer.headers['www-authenticate'], challenge)
  })

  test('roles: 403 without one of the rule, and who is not known is asked first', async () => {
    const uri = '/editors/x'
    assertRefusal(await askForward(app, { uri, headers: bearer }), 403, 'Access denied')
    assertRefusal(await askForward(app, { uri }), 401, 'Authentication required')
    assertAllowed(await askForward(app, { uri, headers: app.basic(eve) }), [
      'eve',
      'USER,EDITOR',
      undefined,
    ])
    const person = await askForward(app, { uri, headers: { ...navigation, ...bearer } })
    // At the host of the application, the links that are ours name our own.
    const text = person.text.replaceAll(`href="${home}/`, 'href="/')
    assertPage({ ...person, text }, 403, 'You may not open this page')
    for (const shown of ['signed in as ann', `href="${home}/signout"`, 'wiki.example.org']) {
      assert.ok(person.text.includes(shown), shown)
    }
  })

  test('no rule: 403, also for who is not known', async () => {
    for (const headers of [{}, bearer, navigation]) {
      assert.equal((await askForward(app, { host: 'other.example.org', headers })).status, 403)
    }
  })

  test('two factors: a session of one is led to the second, a program gets 403', async () => {
    const uri = '/safe/x'
    assertRefusal(await askForward(app, { uri, headers: bearer }), 403, 'Access denied')
    assert.equal((await askForward(app, { uri, headers: navigation })).status, 302)
  })

  test('plain HTTP: on this machine alone', async () => {
    const local = { host: 'localhost:8080', proto: 'http', headers: bearer }
    assertAllowed(await askForward(app, local), ['ann', 'USER', undefined])
    const plain = { proto: 'http', headers: bearer }
    assertRefusal(await askForward(app, plain), 400, 'Bad request')
    assertAllowed(await askForward(app, { proto: 'http', uri: '/public/' }), noRemote)
  })

  test('the cookies of the application come back without ours', async () => {
    const elsewhere = { ...bearer, cookie: 'a=1; __Host-gatehouse=x; JSESSIONID=2; b="c"' }
    const answer = await askForward(app, { headers: elsewhere })
    assert.equal(answer.headers.cookie, 'a=1; JSESSIONID=2; b="c"')
    const atHome = { cookie: `${cookie}; a=1; __Host-flow=x; __Host-device=y; __Host-language=de` }
    const own = await askForward(app, { host: 'id.example.org', headers: atHome })
    assert.equal(own.headers.cookie, 'a=1')
    const alone = await askForward(app, { host: 'id.example.org', headers: { cookie } })
    assert.equal(alone.headers.cookie, undefined)
  })
})

suite('rules by network and by user', async () => {
  const tv = { hosts: ['tv.example.org'] }
  const app = await testApp({
    ...proxied,
    TRUST_PROXY: '127.0.0.1, 10.0.0.2',
    FORWARD_AUTH_FILE: forwardFile([
      { ...tv, paths: ['/info'], policy: 'bypass' },
      { ...tv, networks: ['203.0.113.66'], policy: 'deny' },
      { ...tv, networks: ['192.168.1.0/24', '2001:db8::/32'], policy: 'bypass' },
      { ...tv, users: ['ann'], policy: 'one_factor' },
      { ...tv, policy: 'deny' },
    ]),
  })
  const ann = await app.account('ann')
  const bob = await app.account('bob')
  const ask = (from: string | undefined, headers: Record<string, string> = {}, uri = '/') =>
    askForward(app, {
      ...{ host: 'tv.example.org', uri },
      headers: { ...headers, ...(from !== undefined && { 'x-forwarded-for': from }) },
    })

  test('a visitor of the network passes without a name, also with a credential', async () => {
    for (const from of [
      '192.168.1.20',
      '2001:DB8::7',
      '::ffff:192.168.1.20',
      '192.168.1.20, 10.0.0.2',
    ]) {
      assertAllowed(await ask(from), noRemote, from)
      assertAllowed(await ask(from, app.basic(ann)), noRemote, from)
    }
  })

  test('a visitor of elsewhere signs in, and counts as a user by name', async () => {
    const answer = await ask('198.51.100.7')
    assertRefusal(answer, 401, 'Authentication required')
    assertAllowed(await ask('198.51.100.7', app.basic(ann)), ['ann', 'USER', undefined])
    assertRefusal(await ask('198.51.100.7', app.basic(bob)), 403, 'Access denied')
    assertRefusal(await ask('203.0.113.66', app.basic(ann)), 403, 'Access denied')
  })

  test('an address that the visitor sends never counts', async () => {
    for (const from of ['192.168.1.20, 198.51.100.7', '192.168.1.20, 198.51.100.7, 10.0.0.2']) {
      assertRefusal(await ask(from), 401, 'Authentication required', from)
    }
    const named = { 'x-real-ip': '192.168.1.20', forwarded: 'for=192.168.1.20' }
    const others = { ...named, 'true-client-ip': '192.168.1.20', 'x-forwarded_for': '192.168.1.20' }
    assertRefusal(await ask('198.51.100.7', others), 401, 'Authentication required')
  })

  test('a proxy that does not name the visitor gets 400 where a network could decide', async () => {
    for (const from of [
      undefined,
      '',
      ' , ',
      'unknown',
      '192.168.1.20.5',
      '192.168.1.20, unknown',
    ]) {
      const answer = await ask(from, app.basic(ann))
      assertRefusal(answer, 400, 'Bad request', String(from))
      assertAllowed(await ask(from, {}, '/info'), noRemote, String(from))
    }
  })
})

import assert from 'node:assert/strict'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, suite, test } from 'node:test'
import { type Answer, testApp } from '../app.ts'
import { forge, type Json } from '../forge.ts'
import {
  audience,
  clientSecret,
  clockOfToday,
  identityProvider,
  settingsFor,
} from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { selfSigned } from '../self-signed.ts'
import { observed, standingTime } from '../standing-time.ts'
import { testBrowser } from '../test-browser.ts'
import { until } from '../until.ts'

const unavailable = [503, 'Service unavailable'] as const
const wrong = [502, 'Identity provider error'] as const

suite('T83, R15: a provider that fails', async () => {
  const idp = await identityProvider()
  const asked: string[] = []
  /** One host with a provider below each path, each with a fault of its own. */
  const host = await listening(
    createServer((request, response) => {
      const [, name = ''] = (request.url ?? '').split('/')
      asked.push(request.url ?? '')
      faults[name]?.answer(response)
    }),
  )
  const tls = await listening(
    createTlsServer(selfSigned(), (_, response) => sendJson(response, document('tls'))),
  )
  const at = (name: string) => `http://127.0.0.1:${host}/${name}`
  const metadataOf = (name: string) => `/${name}/.well-known/openid-configuration`
  const document = (name: string, more: Json = {}): Json => ({
    issuer: at(name),
    authorization_endpoint: `${at(name)}/authorize`,
    token_endpoint: `${at(name)}/token`,
    jwks_uri: `${at(name)}/jwks`,
    ...more,
  })

  interface Fault {
    readonly answer: (response: ServerResponse) => void
    readonly expected: readonly [number, string]
  }
  const faults: Record<string, Fault> = {
    silent: { answer: () => {}, expected: unavailable },
    dripping: {
      answer: (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const timer = setInterval(() => response.write(' '), 50)
        response.on('close', () => clearInterval(timer))
      },
      expected: unavailable,
    },
    cut: {
      answer: (response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        response.write('{"issuer":')
        response.destroy()
      },
      expected: unavailable,
    },
    broken: { answer: (response) => response.writeHead(500).end('{}'), expected: unavailable },
    busy: { answer: (response) => response.writeHead(429).end('{}'), expected: unavailable },
    endless: {
      answer: (response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const more = () => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
        }
        response.on('drain', more)
        more()
      },
      expected: wrong,
    },
    moved: {
      answer: (response) =>
        response.writeHead(302, { location: 'http://169.254.169.254/latest/' }).end(),
      expected: wrong,
    },
    absent: { answer: (response) => response.writeHead(404).end(), expected: wrong },
    text: {
      answer: (response) => response.writeHead(200).end('<html>'),
      expected: wrong,
    },
    list: { answer: (response) => sendJson(response, []), expected: wrong },
    foreign: {
      answer: (response) => sendJson(response, document('foreign', { issuer: idp.issuer })),
      expected: wrong,
    },
    slash: {
      answer: (response) => sendJson(response, document('slash', { issuer: `${at('slash')}/` })),
      expected: wrong,
    },
    bare: { answer: (response) => sendJson(response, { issuer: at('bare') }), expected: wrong },
    script: {
      answer: (response) =>
        sendJson(response, document('script', { authorization_endpoint: 'javascript:alert(1)' })),
      expected: wrong,
    },
  }
  const named = (name: string, issuer: string) => ({
    [`OIDC_${name.toUpperCase()}_ISSUER`]: issuer,
    [`OIDC_${name.toUpperCase()}_CLIENT_ID`]: 'x',
    [`OIDC_${name.toUpperCase()}_AUDIENCE`]: audience,
  })
  const names = [...Object.keys(faults), 'lame']
  const clock = clockOfToday()
  const app = await testApp(
    Object.assign(
      settingsFor(idp),
      { OIDC_PROVIDERS: [...names, 'down', 'tls', 'keys'].join(',') },
      named('down', 'http://127.0.0.1:1/down'),
      named('tls', `https://127.0.0.1:${tls}/tls`),
      named('keys', at('keys')),
      ...names.map((name) => named(name, at(name))),
    ),
    { clock },
  )
  /** The request of a caller with a token of the provider. */
  const unsigned = (name: string) => {
    const token = forge({ alg: 'RS256', typ: 'at+jwt' }, { iss: at(name) }, () => Buffer.alloc(9))
    return { headers: { authorization: `Bearer ${token}` } }
  }
  const expectations = [
    ...Object.entries(faults).map(([name, { expected }]) => [name, expected] as const),
    ['down', unavailable] as const,
    ['tls', unavailable] as const,
  ]

  test('each is told apart, within three seconds, while a login here goes on', async (t) => {
    // The concurrent login makes a session, learns a device and moves the times of the last login.
    const unseen = { last_login_at: null, last_password_login_at: null }
    const rows = async () => {
      const { accounts = [], ...others } = await app.rows('sessions', 'known_devices')
      return { others, accounts: accounts.map((row) => ({ ...Object(row), ...unseen })) }
    }
    const before = await rows()
    const time = standingTime(t)
    const ask = ([name]: (typeof expectations)[number]) => app.call('GET', `/oauth/${name}/login`)
    const assertTold = (answer: Answer, [name, [status, error]]: (typeof expectations)[number]) => {
      assertRefusal(answer, status, error, name)
      assert.equal(answer.headers['retry-after'], status === 503 ? '5' : undefined, name)
      assert.equal(answer.headers['set-cookie'], undefined)
    }
    const [slow, quick] = [true, false].map((is) =>
      expectations.filter(([name]) => ['silent', 'dripping'].includes(name) === is),
    )
    const waiting = slow?.map((each) => ({ each, asking: observed(ask(each)) })) ?? []
    assert.equal(waiting.length, 2)
    for (const { each } of waiting) await until(() => asked.includes(metadataOf(each[0])))
    assert.equal((await app.call('POST', '/login', { json: app.admin })).status, 200)
    for (const each of quick ?? []) assertTold(await ask(each), each)
    for (const { asking } of waiting) assert.equal(asking.outcome, undefined)
    await time.pass(2999)
    for (const { each, asking } of waiting) {
      await until(() => asking.outcome !== undefined)
      assertTold((await asking.outcome) ?? assert.fail(), each)
    }
    assert.deepEqual(await rows(), before)
    assert.ok(!asked.some((url) => url.includes('169.254')))
  })

  test('a token whose provider takes long twice, for its metadata and its keys, is 503 in time', async (t) => {
    const time = standingTime(t)
    faults.lame = {
      // biome-ignore lint/plugin: the time of the test stands
      answer: (response) => void setTimeout(() => sendJson(response, document('lame')), 1700),
      expected: unavailable,
    }
    const asking = observed(app.call('GET', '/users', unsigned('lame')))
    await until(() => asked.includes(metadataOf('lame')))
    await time.pass(1700)
    await until(() => asked.includes('/lame/jwks'))
    assert.equal(asking.outcome, undefined)
    await time.pass(1299)
    await until(() => asking.outcome !== undefined)
    assertRefusal((await asking.outcome) ?? assert.fail(), ...unavailable)
  })

  test('asked again at once, they answer from memory: no caller waits twice', async (t) => {
    const time = standingTime(t)
    const first = observed(app.call('GET', '/oauth/silent/login')) // the memory of before may be over
    await time.pass(3000)
    await until(() => first.outcome !== undefined)
    const count = asked.length
    assertRefusal(await app.call('GET', '/oauth/silent/login'), ...unavailable)
    assert.equal(asked.length, count)
  })

  test("keys at an address that is no provider's are not fetched: http beyond loopback", async () => {
    faults.keys = {
      answer: (response) =>
        sendJson(response, document('keys', { jwks_uri: 'http://169.254.169.254/jwks' })),
      expected: wrong,
    }
    assertRefusal(await app.call('GET', '/users', unsigned('keys')), ...wrong)
  })

  test('once the provider is back, so is the sign-in', async () => {
    faults.silent = {
      answer: (response) => sendJson(response, document('silent')),
      expected: wrong,
    }
    clock.advance(6)
    const answer = await app.call('GET', '/oauth/silent/login')
    assert.equal(answer.status, 303)
    assert.ok(String(answer.headers.location).startsWith(`${at('silent')}/authorize?`))
  })

  const atCallback: readonly [
    string,
    string,
    (response: ServerResponse) => void,
    number,
    string,
  ][] = [
    ['a token endpoint that is broken', '/token', (r) => r.writeHead(500).end(), ...unavailable],
    ['one that redirects', '/token', (r) => r.writeHead(307, { location: '/' }).end(), ...wrong],
    ['one that answers no JSON', '/token', (r) => r.writeHead(200).end('x'), ...wrong],
    [
      'one that does not know the client',
      '/token',
      (r) => r.writeHead(401).end('{"error":"invalid_client"}'),
      ...wrong,
    ],
    ['UserInfo that is broken', '/me', (r) => r.writeHead(503).end(), ...unavailable],
    ['UserInfo without end', '/me', (r) => sendJson(r, { x: 'x'.repeat(2 ** 21) }), ...wrong],
  ]
  for (const [what, path, answer, status, error] of atCallback) {
    test(`at the callback, ${what}: ${status}, no session, and the log has the reason`, async () => {
      const browser = testBrowser(app)
      const begun = await browser.call('GET', '/oauth/login')
      const url = await browser.until(String(begun.headers.location))
      idp.instead.set(path, (_, response) => answer(response))
      const before = await app.rows('flows')
      app.log.length = 0
      const back = await browser.call('GET', `${url.pathname}${url.search}`)
      idp.instead.clear()
      assertRefusal(back, status, error)
      assert.deepEqual(await app.rows('flows'), before)
      const event = app.log.find((line) => line.event === 'authn_login_fail')
      assert.equal(event?.provider, 'default')
      assert.ok(String(event?.reason).length > 10)
      const logged = JSON.stringify(app.log)
      for (const secret of [
        clientSecret,
        url.searchParams.get('code'),
        url.searchParams.get('state'),
      ])
        assert.ok(secret && !logged.includes(secret))
    })
  }

  test('the service starts and stops while no provider is there', async () => {
    await idp.stop()
    const lonely = await testApp(settingsFor(idp), { clock })
    assert.equal((await lonely.call('POST', '/login', { json: lonely.admin })).status, 200)
    assertRefusal(await lonely.call('GET', '/oauth/login'), ...unavailable)
    const logout = await lonely.call('POST', '/oauth/logout', { form: {} })
    assert.deepEqual([logout.status, logout.headers.location], [303, '/'])
    await idp.start()
    clock.advance(6)
    assert.equal((await testBrowser(lonely).open('/oauth/login')).status, 200)
  })
})

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  return (server.address() as AddressInfo).port // it listens on a port
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { exchange, type RawAnswer, rawRequest } from '../raw-http.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'
import { tlsFolder } from '../tls-files.ts'
import { until } from '../until.ts'

const base = 'https://auth.example.org'
const page = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

async function started(limits = {}): Promise<{ app: TestApp; port: number }> {
  const app = await testApp({ ...tlsFolder().env, BASE_URL: base, HTTP_REDIRECT_PORT: '0' })
  const { plainHttp } = app.app
  assert.ok(plainHttp)
  Object.assign(plainHttp, limits)
  plainHttp.listen(0, '127.0.0.1')
  await once(plainHttp, 'listening')
  return { app, port: (plainHttp.address() as AddressInfo).port } // it listens on a port
}

suite('plain HTTP beside HTTPS', async () => {
  const { app, port } = await started()
  const answered = async (bytes: string): Promise<RawAnswer> => {
    const { answers } = await exchange(port, bytes) // it resolves because the service closes
    const [answer, ...others] = answers
    assert.ok(answer, bytes)
    assert.deepEqual(others, [])
    assert.equal(answer.headers.connection, 'close')
    return answer
  }

  const navigations: readonly [string, Record<string, string>, string][] = [
    ['GET / HTTP/1.1', page, `${base}/`],
    ['HEAD /login?return_to=%2Fx HTTP/1.1', page, `${base}/login?return_to=%2Fx`],
    ['GET /a HTTP/1.1', { 'Sec-Fetch-Mode': 'navigate', Accept: '*/*' }, `${base}/a`],
    ['GET /a HTTP/1.1', { Accept: 'TEXT/HTML' }, `${base}/a`],
    // Whatever a client says of the host, or puts in its place, it stays at BASE_URL.
    ['GET /a HTTP/1.1', { ...page, Host: 'evil.example' }, `${base}/a`],
    ['GET /a HTTP/1.1', { ...page, 'X-Forwarded-Host': 'evil.example' }, `${base}/a`],
    ['GET //evil.example/a HTTP/1.1', page, `${base}//evil.example/a`],
    ['GET /\\evil.example HTTP/1.1', page, `${base}//evil.example`],
    ['GET /..//evil.example HTTP/1.1', page, `${base}//evil.example`],
    ['GET http://evil.example/a HTTP/1.1', page, `${base}/`],
    ['GET /%0d%0aSet-Cookie:%20a=b HTTP/1.1', page, `${base}/%0d%0aSet-Cookie:%20a=b`],
  ]
  for (const [line, headers, location] of navigations) {
    test(`${line} with ${JSON.stringify(headers)} goes to ${location}`, async () => {
      const answer = await answered(rawRequest(line, { Connection: 'keep-alive', ...headers }))
      assert.deepEqual([answer.status, answer.headers.location, answer.body], [308, location, ''])
      assert.equal(new URL(answer.headers.location ?? '').origin, base)
      assertHeaders(answer)
    })
  }

  const others: readonly [string, Record<string, string>, string?][] = [
    ['GET /users HTTP/1.1', {}],
    ['GET /users HTTP/1.1', { Accept: '*/*' }],
    ['GET /users HTTP/1.1', { Accept: 'application/json, text/htmlx' }],
    ['GET /users HTTP/1.1', { ...page, 'Sec-Fetch-Mode': 'cors' }],
    ['GET /users HTTP/1.1', { ...page, 'Sec-Fetch-Mode': '' }],
    ['POST /login HTTP/1.1', { ...page, 'Content-Length': '3' }, 'a=b'],
    ['PUT /users/1 HTTP/1.1', { ...page, 'Sec-Fetch-Mode': 'navigate' }],
    ['DELETE /users/1 HTTP/1.1', page],
    ['OPTIONS /users HTTP/1.1', { Origin: base, 'Access-Control-Request-Method': 'PUT' }],
    ['GET /health/ready HTTP/1.1', {}],
  ]
  for (const [line, headers, body] of others) {
    test(`${line} with ${JSON.stringify(headers)} is refused`, async () => {
      const sent = { Connection: 'keep-alive', ...headers }
      assertRefusal(await answered(rawRequest(line, sent, body)), 403, 'HTTPS required')
    })
  }

  test('credentials are not looked at: no login, no attempt, no session', async () => {
    const before = await app.rows()
    const { username, password } = app.admin
    const body = new URLSearchParams({ username, password }).toString()
    const headers = {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(body.length),
    }
    const logs = app.log.length
    const login = await answered(rawRequest('POST /login HTTP/1.1', headers, body))
    const basic = await answered(rawRequest('GET /users HTTP/1.1', app.basic(app.admin)))
    for (const answer of [login, basic]) {
      assertRefusal(answer, 403, 'HTTPS required')
      assert.equal(answer.headers['set-cookie'], undefined)
      assert.equal(answer.headers['www-authenticate'], undefined)
    }
    assert.deepEqual(await app.rows(), before)
    assert.equal(app.log.length, logs)
  })

  const bad: readonly [string, number, string][] = [
    [rawRequest('GET @evil.example/ HTTP/1.1', page), 400, 'Bad request'],
    [rawRequest('GET .evil.example/ HTTP/1.1', page), 400, 'Bad request'],
    [rawRequest('GET :8080/ HTTP/1.1', page), 400, 'Bad request'],
    [rawRequest('GET /\xe9 HTTP/1.1', page), 400, 'Bad request'],
    ['no HTTP at all\r\n\r\n', 400, 'Bad request'],
    ['GET / HTTP/1.1\r\nAccept: text/html\r\n\r\n', 400, 'Bad request'],
    ['GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nAccept: text/html\r\n\r\n', 400, 'Bad request'],
    [rawRequest('GET / HTTP/1.1', { Host: 'a b', ...page }), 400, 'Bad request'],
    [
      rawRequest(`GET /${'x'.repeat(17_000)} HTTP/1.1`, page),
      431,
      'Request header fields too large',
    ],
    [rawRequest('CONNECT example.org:443 HTTP/1.1', page), 404, 'Route not found'],
    [
      rawRequest('POST / HTTP/1.1', { Expect: 'x', 'Content-Length': '1' }, 'x'),
      417,
      'Expectation failed',
    ],
    [
      rawRequest('GET / HTTP/1.1', { Connection: 'Upgrade', Upgrade: 'h2c' }),
      403,
      'HTTPS required',
    ],
    [
      rawRequest('POST / HTTP/1.1', { Expect: '100-continue', 'Content-Length': '1' }, 'x'),
      403,
      'HTTPS required',
    ],
  ]
  for (const [bytes, status, error] of bad) {
    test(`${JSON.stringify(bytes.slice(0, 60))} is ${status}, as on the port of HTTPS`, async () => {
      assertRefusal(await answered(bytes), status, error)
    })
  }

  test('one request is served on a connection: what follows is dropped', async () => {
    const get = rawRequest('GET / HTTP/1.1', { ...page, Connection: 'keep-alive' })
    assert.equal((await answered(get.repeat(300))).status, 308)
  })

  test('a client that leaves early, resets or speaks TLS ends its connection alone', async () => {
    const post = rawRequest('POST / HTTP/1.1', { 'Content-Length': '100000' }, 'x')
    for (const bytes of [post, 'GET / HT', Buffer.from('1603010200010001fc0303', 'hex')]) {
      await exchange(port, bytes, { opened: (socket) => void socket.end() })
      await exchange(port, bytes, { opened: (socket) => void socket.resetAndDestroy() })
    }
    const { status } = await answered(rawRequest('GET / HTTP/1.1', page))
    assert.equal(status, 308)
    assert.deepEqual(
      app.log.filter(({ level }) => level === 'error'),
      [],
    )
  })
})

suite('the limits of plain HTTP', async () => {
  const { app, port } = await started()
  const { plainHttp } = app.app

  test('are those of the port of HTTPS', () => {
    const { server } = app.app.server
    const keys = ['headersTimeout', 'requestTimeout', 'maxHeaderSize', 'timeout'] as const
    const limitsOf = (of: object) => keys.map((key) => Reflect.get(of, key) ?? null)
    assert.deepEqual(limitsOf(plainHttp ?? {}), limitsOf(server))
    assert.equal(Reflect.get(plainHttp ?? {}, 'connectionsCheckingInterval'), 1000)
  })

  test('too slow a request is 408', async () => {
    // The same machinery with its limits shortened.
    const limits = { headersTimeout: 100, connectionsCheckingInterval: 20 }
    const { port: other } = await started(limits)
    const { answers } = await exchange(other, 'GET / HTTP/1.1\r\nHost: localhost\r\n')
    for (const answer of answers) assertRefusal(answer, 408, 'Request timeout')
    assert.equal(answers.length, 1)
  })

  test('a stop answers what was accepted, and closes the port', async () => {
    let client: Socket | undefined
    const accepted = once(plainHttp ?? app.app.server.server, 'connection')
    const begun = exchange(port, 'GET / HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n', {
      opened: (socket) => {
        client = socket
      },
    })
    await Promise.all([accepted, until(() => client !== undefined)])
    const stopped = app.close()
    client?.write('\r\n')
    assert.deepEqual(
      (await begun).answers.map(({ status }) => status),
      [308],
    )
    await stopped
    assert.equal(plainHttp?.listening, false)
  })

  test('there is none without HTTP_REDIRECT_PORT', async () => {
    const { app: without } = await testApp(tlsFolder().env)
    assert.equal(without.plainHttp, null)
  })
})

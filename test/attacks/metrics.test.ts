import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { suite, test } from 'node:test'
import { digest } from '../../src/core/crypto/digest.ts'
import { type TestApp, testApp } from '../app.ts'
import { asClient, clientsFile, entry, secretOf } from '../clients.ts'
import { loadConfig } from '../config.ts'
import { ask, exchange, rawRequest } from '../raw-http.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'

async function textOf(app: TestApp): Promise<string> {
  const { status, text } = await app.call('GET', '/metrics', { headers: app.basic(app.admin) })
  assert.equal(status, 200)
  return text
}

/** The series of a text, without their values. */
function seriesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.lastIndexOf(' ')))
}

suite('metrics: what a caller sends makes no series', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '100000', LOGIN_IP_ATTEMPTS: '0' })
  const methods = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND', 'PURGE']
  const hostile = ['\u001b[31m', '"} 1\\n', '\u202e', '%0a', '{le="x"}', '\\', "' or 1=1", 'é']

  /** One of the requests: of each kind, with texts that no other has. */
  async function send(number: number): Promise<void> {
    const text = `${hostile[number % hostile.length]}${digest(String(number))}`
    const path = encodeURIComponent(text)
    const agent = { 'user-agent': text.replace(/[^\x20-\x7e]/g, '?'), 'x-request-id': path }
    const method = methods[number % methods.length] ?? 'GET'
    const kinds = [
      () => app.call(method, `/${path}`, { headers: agent }),
      () => app.call('GET', `/users/${path}?page=${path}`, { headers: agent }),
      () => app.call('GET', '/users', { headers: { ...agent, authorization: `Bearer ${path}` } }),
      () => app.call('GET', `/api/admin/${path}`, { headers: agent }),
      () => app.call('GET', `/oauth/${path}/callback?code=${path}`, { headers: agent }),
      // Without a password: the attempt is judged without a hash.
      () => app.call('POST', '/login', { form: { username: text }, headers: agent }),
      () =>
        app.call('POST', '/oauth/introspect', {
          form: { token: text },
          headers: asClient('unknown', path),
        }),
      () => app.call('GET', '/api/account', { headers: { ...agent, authorization: text.trim() } }),
    ]
    await kinds[Math.floor(number / methods.length) % kinds.length]?.()
  }

  test('1,000 hostile paths, methods, usernames and agents add none', async () => {
    const round = methods.length * 8 * hostile.length
    for (let number = 0; number < round; number += 7) await send(number)
    for (let number = 0; number < methods.length * 8; number += 1) await send(number)
    await textOf(app) // so that the reading has its own series
    const before = seriesOf(await textOf(app))
    for (let number = 10_000; number < 11_000; number += 1) await send(number)
    const text = await textOf(app)
    const after = seriesOf(text)
    assert.deepEqual([...new Set(after)].length, after.length)
    assert.deepEqual(
      after.filter((series) => !before.includes(series)),
      [],
    )
    assert.equal(after.length, before.length)
    assert.match(text, /route="unknown",method="other"/)
    assert.match(text, /route="unknown",method="GET",status="404"\} [1-9]/)
  })

  test('no series holds a name, an address, an agent or a part of what was sent', async () => {
    const text = await textOf(app)
    for (const canary of ['\u001b', 'or 1=1', digest('10500'), 'admin"', '127.0.0.1']) {
      assert.ok(!text.includes(canary), JSON.stringify(canary))
    }
  })
})

suite('metrics: they name no person', async () => {
  const CLIENTS_FILE = clientsFile([entry('canary-client', { may: ['metrics'] })])
  const TOKEN_SECRET = 'jv8Zk2Qw5Nc9Lh3Rt6Yb1Xs4Md7Pf0Ga-canary'
  const app = await testApp({ CLIENTS_FILE, TOKEN_SECRET, LOGIN_ATTEMPTS: '2' })

  test('no username, e-mail address, address, password, token, cookie, client or key', async () => {
    const name = 'canary-person'
    const person = await app.account(name, ['USER'], {
      name: 'Canary Full Name',
      email: 'canary@example.net',
    })
    const from = '198.51.100.77'
    const cookie = await app.session(person)
    const token = await app.token(person)
    const pair = await app.pair(person)
    const guess = { username: name, password: 'canary-wrong-password' }
    for (let round = 0; round < 3; round += 1) {
      await app.call('POST', '/login', {
        form: guess,
        from,
        headers: { 'user-agent': 'canary-agent' },
      })
    }
    await app.call('GET', '/api/account', { headers: app.basic(person), from })
    await app.call('GET', '/metrics', { headers: asClient('canary-client') })
    await app.call('POST', '/logout', { headers: cookie, from })
    const { text } = await app.call('GET', '/metrics', { headers: asClient('canary-client') })
    assert.match(text, /^gatehouse_build_info/m)
    const secrets = [
      ...Object.values(cookie),
      ...[pair.access_token, pair.refresh_token],
      ...[token, token.split('.')[2] ?? '', TOKEN_SECRET, from, person.password],
      secretOf('canary-client'),
      ...[app.admin.password, app.directory],
    ]
    for (const secret of secrets) assert.ok(secret.length > 5 && !text.includes(secret), secret)
    assert.doesNotMatch(text, /canary/i)
  })
})

suite('metrics: METRICS_ADDRESS', async () => {
  const app = await testApp({ METRICS_ADDRESS: '127.0.0.1:0' })
  const line = app.log.find((one) => 'metrics_address' in one)
  const url = new URL(String(line?.metrics_address))
  const port = Number(url.port)
  assert.equal(url.pathname, '/metrics')

  test('answers the metrics without a credential, and HEAD, with the headers of every answer', async () => {
    for (const path of ['/metrics', '/metrics?a=b']) {
      const answer = await ask(port, `GET ${path} HTTP/1.1`)
      assert.equal(answer.status, 200)
      assertHeaders(answer)
      assert.equal(answer.headers['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
      assert.match(answer.body, /^gatehouse_workers 1$/m)
    }
    const open = { Accept: 'application/openmetrics-text; version=1.0.0' }
    assert.ok((await ask(port, 'GET /metrics HTTP/1.1', open)).body.endsWith('# EOF\n'))
    const head = await ask(port, 'HEAD /metrics HTTP/1.1')
    assert.deepEqual([head.status, head.body], [200, ''])
    assert.ok(Number(head.headers['content-length']) > 1000)
  })

  const others: readonly [string, string?][] = [
    ['GET / HTTP/1.1'],
    ['GET /metrics/ HTTP/1.1'],
    ['GET //metrics HTTP/1.1'],
    ['GET /Metrics HTTP/1.1'],
    ['GET /health/live HTTP/1.1'],
    ['GET /users HTTP/1.1'],
    ['POST /metrics HTTP/1.1', 'a=b'],
    ['POST /login HTTP/1.1', 'username=admin&password=x'],
    ['DELETE /metrics HTTP/1.1'],
    ['OPTIONS /metrics HTTP/1.1'],
    ['PROPFIND /metrics HTTP/1.1'],
    ['GET http://127.0.0.1/metrics HTTP/1.1'],
  ]
  for (const [request, body] of others) {
    test(`${request} is refused: 404`, async () => {
      const length = body === undefined ? {} : { 'Content-Length': String(body.length) }
      assertRefusal(await ask(port, request, length, body), 404, 'Route not found')
    })
  }

  test('what is no HTTP is refused in the shape of the contract', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n',
    ]) {
      const { answers } = await exchange(port, bytes)
      assert.ok(answers[0], bytes)
      assertRefusal(answers[0], 400, 'Bad request')
    }
  })

  test('scrapes at the same time share one reading, and a pipelined one is answered too', async () => {
    const bytes = rawRequest('GET /metrics HTTP/1.1', { Connection: 'keep-alive' })
    const last = rawRequest('GET /metrics HTTP/1.1', { Connection: 'close' })
    const { answers } = await exchange(port, `${bytes}${bytes}${last}`)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    )
  })

  test('the port of the service does not answer them without a credential', async () => {
    assertRefusal(
      await ask((await app.listen()).port, 'GET /metrics HTTP/1.1'),
      401,
      'Authentication required',
    )
  })

  test('a stop closes the port', async () => {
    const stopped = await testApp({ METRICS_ADDRESS: '127.0.0.1:0' })
    const at = String(stopped.log.find((one) => 'metrics_address' in one)?.metrics_address)
    assert.equal((await fetch(at)).status, 200)
    await stopped.close()
    await assert.rejects(fetch(at))
  })

  test('a worker that is not the first opens no port', async () => {
    const { soleProcess } = await import('../../src/core/workers/workers.ts')
    const workers = { ...soleProcess, index: 1, count: 2 }
    const second = await testApp({ METRICS_ADDRESS: `127.0.0.1:${port}` }, { deps: { workers } })
    assert.equal(
      second.log.some((one) => 'metrics_address' in one),
      false,
    )
    await second.close()
  })

  test('a port that is taken stops the start with one sentence that names the setting', async () => {
    const blocker = createServer().listen(0, '127.0.0.1')
    await once(blocker, 'listening')
    const { port: taken } = blocker.address() as AddressInfo // it listens on a port
    await assert.rejects(testApp({ METRICS_ADDRESS: `127.0.0.1:${taken}` }), {
      message: `nothing can listen at METRICS_ADDRESS 127.0.0.1:${taken}: another program listens there; stop it, or set another port`,
    })
    blocker.close()
  })

  test('where the service listens is a mistake of the settings', () => {
    const settings = { NODE_ENV: 'test', PORT: '3000', METRICS_ADDRESS: '127.0.0.1:3000' }
    const mistakes = ['METRICS_ADDRESS must not be HOST and PORT, where the service listens']
    assert.throws(() => loadConfig(settings), { mistakes })
    assert.ok(loadConfig({ ...settings, METRICS_ADDRESS: '127.0.0.1:3001' }))
  })

  test('an address that others can reach is warned of', () => {
    const warning =
      'METRICS_ADDRESS is no loopback address and asks for no credential: only the monitoring should reach it'
    for (const [address, isOpen] of [
      ['0.0.0.0:9464', true],
      ['[::]:9464', true],
      ['10.0.0.1:9464', true],
      ['127.0.0.1:9464', false],
      ['[::1]:9464', false],
      ['localhost:9464', false],
    ] as const) {
      const { warnings } = loadConfig({ NODE_ENV: 'test', METRICS_ADDRESS: address })
      assert.equal(warnings.includes(warning), isOpen, address)
    }
  })

  for (const text of [
    '9464',
    ':9464',
    'metrics.example:9464',
    '127.0.0.1',
    '127.0.0.1:70000',
    '::1:9464',
    '[127.0.0.1]:1',
    'localhost:x',
  ]) {
    test(`METRICS_ADDRESS=${text} is a mistake of the settings`, async () => {
      const mistake =
        'METRICS_ADDRESS must be an address and a port, such as 127.0.0.1:9464 or [::1]:9464'
      await assert.rejects(testApp({ METRICS_ADDRESS: text }), { mistakes: [mistake] })
    })
  }
})

// A database makes a difference: each tells its statements and transactions by a driver of its own.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { suite, test } from 'node:test'
import { passwordOf, testApp } from '../app.ts'
import type { CollectedSpan } from '../collector.ts'
import { testDatabase } from '../database.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { testBrowser } from '../test-browser.ts'
import { tracedApp } from '../traced-app.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'
const traceparent = `00-${trace}-${span}-01`
const system = testDatabase === 'sqlite' ? 'sqlite' : 'postgresql'
const [internal, server, client] = [1, 2, 3]

/** Notes the requests that the service sends, with their headers. */
function watchedFetch() {
  const sent: { readonly url: string; readonly headers: Headers }[] = []
  const watched: typeof fetch = (input, init) => {
    sent.push({ url: String(input), headers: new Headers(init?.headers) })
    return fetch(input, init)
  }
  return { sent, fetch: watched }
}

const byName = (spans: readonly CollectedSpan[], name: string) => {
  const [found, ...more] = spans.filter((each) => each.name === name)
  assert.ok(found, `no span ${name} among ${spans.map((each) => each.name).join(', ')}`)
  assert.deepEqual(more, [])
  return found
}

suite('a trace, without an export', async () => {
  const idp = await identityProvider()
  const watched = watchedFetch()
  const app = await testApp(settingsFor(idp), {
    clock: clockOfToday(),
    deps: { fetch: watched.fetch },
  })

  /** What is sent to the provider by a sign-in whose last request has these headers. */
  async function signIn(headers: Record<string, string>) {
    const browser = testBrowser(app)
    const { headers: first } = await browser.call('GET', '/oauth/login')
    const { pathname, search } = await browser.until(String(first.location))
    watched.sent.length = 0
    app.log.length = 0
    const answer = await browser.call('GET', `${pathname}${search}`, { headers })
    assert.equal(answer.status, 200)
    assert.ok(watched.sent.some(({ url }) => url.endsWith('/token')))
    return watched.sent
  }

  test('is handed on to the provider unchanged, and named in the log', async () => {
    await signIn({}) // what several requests share is loaded now
    for (const [flags, tracestate] of [
      ['01', 'rojo=1,congo=t61rcWkgMzE'],
      ['00', undefined],
    ]) {
      const parent = `00-${trace}-${span}-${flags}`
      const sent = await signIn({ traceparent: parent, ...(tracestate && { tracestate }) })
      for (const { url, headers } of sent) {
        assert.equal(headers.get('traceparent'), parent, url)
        assert.equal(headers.get('tracestate'), tracestate ?? null, url)
      }
      const events = app.log.filter(({ event }) => event !== undefined)
      assert.ok(events.length > 0)
      for (const event of events) assert.equal(event.trace_id, trace)
    }
  })

  for (const [about, headers] of [
    ['none', {}],
    ['one that is malformed', { traceparent: `00-${trace}-${span}-0`, tracestate: 'a=b' }],
    ['one of zeros', { traceparent: `00-${'0'.repeat(32)}-${span}-01` }],
    ['a state alone', { tracestate: 'a=b' }],
  ] as const) {
    test(`${about}: none is sent, and none is logged`, async () => {
      for (const { headers: sent } of await signIn(headers)) {
        assert.deepEqual([sent.get('traceparent'), sent.get('tracestate')], [null, null])
      }
      for (const line of app.log) assert.equal('trace_id' in line, false)
    })
  }
})

suite('an exported trace', () => {
  test('of a login has its request, transactions, statements and the hash', async () => {
    const app = await tracedApp({
      OTEL_SERVICE_NAME: 'sign-in',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,deployment.environment.name=a%20test',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=all,x-key=1',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=traces',
    })
    const { username, password } = await app.account('ann')
    app.log.length = 0
    const headers = { traceparent, tracestate: 'rojo=1' }
    const login = await app.call('POST', '/login?next=canary', {
      headers,
      json: { username, password, mode: 'session' },
    })
    assert.equal(login.status, 200)
    assert.equal(app.log.find(({ event }) => event)?.trace_id, trace)
    const spans = (await app.exported()).filter((each) => each.traceId === trace)

    const request = byName(spans, 'POST /login')
    assert.deepEqual(
      [request.kind, request.parentSpanId, request.flags, request.failed],
      [server, span, 0x301, false],
    )
    const { 'gatehouse.request_id': id, ...attributes } = request.attributes
    assert.equal(id, login.headers['x-request-id'])
    assert.deepEqual(attributes, {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'http.route': '/login',
      'network.protocol.version': '1.1',
      'server.address': '127.0.0.1',
      'server.port': 3000,
      'url.path': '/login',
      'url.scheme': 'http',
    })

    const hash = byName(spans, 'verify password')
    assert.deepEqual([hash.kind, hash.parentSpanId, hash.flags], [internal, request.spanId, 0x101])
    assert.ok(Number(hash.attributes['gatehouse.hashing.wait_ms']) >= 0)

    const transactions = spans.filter(({ name }) => name === 'transaction')
    assert.ok(transactions.length >= 2)
    for (const transaction of transactions) {
      assert.equal(transaction.parentSpanId, request.spanId)
      const { 'gatehouse.connection.wait_ms': waitMs, ...rest } = transaction.attributes
      assert.ok(Number(waitMs) >= 0)
      assert.deepEqual(rest, {
        'db.system.name': system,
        'gatehouse.transaction.outcome': 'commit',
      })
    }
    const inserted = spans.find(({ name }) => name === 'INSERT sessions')
    assert.ok(inserted)
    assert.equal(inserted.kind, system === 'sqlite' ? internal : client)
    assert.ok(transactions.some(({ spanId }) => spanId === inserted.parentSpanId))
    const { 'db.query.text': text, ...rest } = inserted.attributes
    assert.match(String(text), /^insert into "sessions" .*values \((\?|\$1), /)
    assert.deepEqual(rest, {
      'db.system.name': system,
      'db.operation.name': 'INSERT',
      'db.collection.name': 'sessions',
    })
    assert.ok(
      spans.some(({ name }) => name === 'SELECT accounts'),
      'the table, not one within',
    )
    const outside = spans.filter(
      ({ name, parentSpanId }) => name.startsWith('SELECT ') && parentSpanId === request.spanId,
    )
    assert.ok(outside.length > 0, 'a read outside a transaction')

    const byId = new Map(spans.map((each) => [each.spanId, each]))
    assert.equal(byId.size, spans.length)
    for (const each of spans) {
      assert.ok(each.start <= each.end, each.name)
      assert.equal(each.traceState, 'rojo=1')
      const parent = byId.get(each.parentSpanId ?? '')
      assert.ok(parent || each === request, `${each.name} has a parent`)
      if (parent) assert.ok(parent.start <= each.start && each.end <= parent.end, each.name)
      const {
        'service.instance.id': instance,
        'service.version': version,
        'telemetry.sdk.version': sdk,
        ...resource
      } = each.resource
      assert.match(String(instance), /^[0-9a-f]{32}$/)
      for (const each of [version, sdk]) assert.match(String(each), /^[0-9]+\.[0-9]+\.[0-9]+/)
      assert.deepEqual(resource, {
        'service.name': 'sign-in',
        'process.pid': process.pid,
        'gatehouse.worker': 0,
        'telemetry.sdk.name': 'opentelemetry',
        'telemetry.sdk.language': 'nodejs',
        'deployment.environment.name': 'a test',
      })
    }
  })

  test('of refusals and failures has their status; only a failure of the service is an error', async () => {
    const app = await tracedApp()
    const headers = { authorization: 'Bearer nonsense' }
    await app.call('GET', '/health/live')
    await app.call('GET', '/api/me', { headers })
    await app.call('GET', '/users/secret-name', { headers })
    await app.call('GET', '/no/such/secret-path?secret-query=1')
    await app.deps.db.destroy()
    await app.call('GET', '/users/7', { headers: app.basic(app.admin) })
    const spans = (await app.exported()).filter(({ kind }) => kind === server)
    const told = spans.map(({ name, failed, attributes }) => [
      name,
      attributes['http.response.status_code'],
      attributes['url.path'],
      failed && attributes['error.type'],
    ])
    assert.deepEqual(told, [
      ['GET /api/me', 401, '/api/me', false],
      ['GET /users/:id', 401, '/users/REDACTED', false],
      ['GET', 404, undefined, false],
      ['GET /users/:id', 500, '/users/REDACTED', '500'],
    ])
  })

  test('of a sign-in has the requests to the provider, which get the span as their parent', async () => {
    const idp = await identityProvider()
    const watched = watchedFetch()
    const app = await tracedApp(settingsFor(idp), {
      clock: clockOfToday(),
      deps: { fetch: watched.fetch },
    })
    const browser = testBrowser(app)
    const { headers: first } = await browser.call('GET', '/oauth/login')
    const { pathname, search } = await browser.until(String(first.location))
    const answer = await browser.call('GET', `${pathname}${search}`, { headers: { traceparent } })
    assert.equal(answer.status, 200)
    const spans = await app.exported()
    const request = byName(spans, 'GET /oauth/callback')
    assert.equal(request.traceId, trace)
    const calls = spans.filter(({ kind, name }) => kind === client && /^(GET|POST)$/.test(name))
    const exchange = calls.find(
      ({ attributes }) => attributes['url.full'] === `${idp.issuer}/token`,
    )
    assert.ok(exchange)
    assert.deepEqual([exchange.traceId, exchange.parentSpanId], [trace, request.spanId])
    assert.deepEqual(exchange.attributes, {
      'http.request.method': 'POST',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(idp.issuer).port),
      'url.full': `${idp.issuer}/token`,
    })
    const sent = new Set(watched.sent.map(({ headers }) => headers.get('traceparent')))
    assert.deepEqual(
      sent,
      new Set(calls.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`)),
    )
    // The discovery document is loaded for all requests: its trace is its own.
    const shared = calls.filter(({ traceId }) => traceId !== trace)
    assert.ok(shared.length > 0)
    for (const each of shared) assert.equal(each.parentSpanId, undefined)
  })

  test('holds no secret, no username, no query and no value of a statement', async () => {
    const gone = createServer().listen(0, '127.0.0.1')
    await once(gone, 'listening')
    const { port } = gone.address() as AddressInfo // it listens on a port
    gone.close()
    const breached = `http://127.0.0.1:${port}/range`
    const app = await tracedApp({ PASSWORD_BREACH_URL: breached })
    const person = await app.account('canary-name', ['USER', 'ADMIN'], {
      name: 'canary-person',
      email: 'canary-mail@example.org',
    })
    const pair = await app.pair(person)
    const session = await app.session(person)
    const bearer = await app.bearer(person)
    await app.call('GET', '/api/admin/accounts/canary-name?canary-query=1', { headers: bearer })
    await app.call('GET', '/api/v2/users?q=canary-search', { headers: bearer })
    await app.call('POST', '/refresh', { json: { refresh_token: pair.refresh_token } })
    await app.call('POST', '/login', { json: { username: 'canary-guess', password: 'canary-try' } })
    await app.call('POST', '/users', { headers: bearer, json: { name: 'canary-person' } })
    await app.call('GET', '/canary-path/canary-name', {
      headers: { ...session, 'user-agent': 'canary-agent', tracestate: 'canary=state' },
    })
    const spans = await app.exported()
    assert.ok(spans.length > 50)
    const text = app.collector.bodies.join('\n').toLowerCase()
    const [, cookie = ''] = session.cookie.split('=')
    const secrets = [
      ...[passwordOf('canary-name'), app.admin.password, pair.refresh_token, pair.access_token],
      ...[cookie, session['x-csrf-token'], String(bearer.authorization).slice(7), 'canary'],
    ]
    for (const secret of secrets) {
      assert.ok(secret.length > 5)
      assert.ok(!text.includes(secret.toLowerCase()), secret)
    }
    const calls = spans.filter(({ attributes }) => 'url.full' in attributes)
    assert.ok(calls.length > 0)
    for (const { attributes, failed } of calls) {
      assert.deepEqual([attributes['url.full'], failed], [`${breached}/REDACTED`, true])
      assert.equal(attributes['error.type'], 'ECONNREFUSED')
    }
  })

  test('is chosen by the sampler; what is not is handed on as it came', async () => {
    const ratio = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' }
    const app = await tracedApp(ratio)
    await app.call('GET', '/health/ready', { headers: { traceparent } })
    await app.call('GET', '/api/me')
    await app.call('GET', '/api/me', { headers: { traceparent: `00-${trace}-${span}-00` } })
    assert.deepEqual((await app.exported()).length, 0)
    const hinted = await tracedApp(ratio)
    await hinted.call('GET', '/api/me', { headers: { traceparent } })
    assert.deepEqual(
      (await hinted.exported()).map(({ traceId, parentSpanId }) => [traceId, parentSpanId]),
      [[trace, span]],
    )
  })

  test('is bounded: a caller that asks for more gets half of the limit, and the rest is counted', async () => {
    const app = await tracedApp({
      OTEL_TRACES_SAMPLER_ARG: '0',
      TRACES_PER_SECOND: '10',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    })
    for (let sent = 0; sent < 20; sent += 1) {
      await app.call('GET', '/api/me', { headers: { traceparent } })
    }
    assert.equal(app.deps.traces?.counts.tracesRefused(), 15)
    assert.equal((await app.exported()).length, 5)
  })

  test('of a list of all users ends with a limit of its spans, which are counted', async () => {
    const app = await tracedApp()
    const headers = { ...(await app.bearer(app.admin)), traceparent }
    const before = app.deps.traces?.counts.spansDropped()
    const span = app.deps.traces?.beginRequest(headers, {})
    assert.ok(span)
    for (let begun = 0; begun < 600; begun += 1) span.begin('part', 'internal')?.end()
    span.end()
    assert.equal(Number(app.deps.traces?.counts.spansDropped()) - Number(before), 101)
    const spans = (await app.exported()).filter(({ traceId }) => traceId === trace)
    assert.equal(spans.length, 500)
  })
})

// A database makes a difference: the pool, the statements, and what is told while it is away.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { Counters } from '../../src/core/measurements/counters.ts'
import { createMeasurements } from '../../src/core/measurements/measurements.ts'
import {
  aborted,
  type Measured,
  RequestMeasurements,
} from '../../src/core/measurements/requests.ts'
import { loadMonitoring } from '../../src/core/module/monitoring.ts'
import { errorsOf } from '../../src/core/module/registry.ts'
import type { Needs } from '../../src/core/module/services.ts'
import { attempt } from '../../src/core/runtime/jobs.ts'
import { type Polled, soleProcess } from '../../src/core/workers/workers.ts'
import { createMetrics } from '../../src/extras/metrics/metrics.ts'
import { createRefusalCounts } from '../../src/extras/metrics/refusal-counts.ts'
import { hashingQueue } from '../../src/modules/passwords/hashing-queue.ts'
import { hashing, measuredQueue } from '../../src/modules/passwords/measured-queue.ts'
import { modules } from '../../src/modules.ts'
import { type TestApp, testApp } from '../app.ts'
import { asClient, clientsFile, entry } from '../clients.ts'
import { servicesOf } from '../mail.ts'
import { ask, exchange } from '../raw-http.ts'
import { tlsFolder } from '../tls-files.ts'

const root = join(import.meta.dirname, '../..')

interface Series {
  readonly name: string
  readonly labels: Record<string, string>
  readonly value: number
}

const monitoring = await loadMonitoring(modules)

/** The metrics by these dependencies, some of which are made for the test. */
function metricsOf(needs: object) {
  return createMetrics(needs as Needs, { monitoring, refusals: createRefusalCounts(modules) })
}

/** Parses the text form of Prometheus. */
function seriesIn(text: string): Series[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
      return {
        name,
        labels: Object.fromEntries(pairs.map(([, label = '', text = '']) => [label, text])),
        value: Number(value),
      }
    })
}

async function read(app: TestApp, headers = app.basic(app.admin)): Promise<Series[]> {
  const { status, text } = await app.call('GET', '/metrics', { headers })
  assert.equal(status, 200, text)
  return seriesIn(text)
}

/** The sum of the series of a name that have these labels. */
function sum(series: readonly Series[], name: string, labels: Record<string, string> = {}): number {
  return series
    .filter((one) => one.name === name)
    .filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value))
    .reduce((total, { value }) => total + value, 0)
}

/** How much a work adds to a series. */
async function added(
  app: TestApp,
  work: () => Promise<unknown>,
  ...[name, labels]: [string, Record<string, string>?]
): Promise<number> {
  const before = sum(await read(app), name, labels)
  await work()
  return sum(await read(app), name, labels) - before
}

suite('GET /metrics: who may read it', async () => {
  const CLIENTS_FILE = clientsFile([
    entry('prometheus', { audiences: undefined, may: ['metrics'] }),
    entry('shop'),
  ])
  const app = await testApp({ CLIENTS_FILE, RATE_LIMIT_MAX: '100000' })
  const ann = await app.account('ann', ['USER', 'EDITOR'])

  test('ADMIN by every scheme, and a client that may', async () => {
    const all = [
      app.basic(app.admin),
      await app.bearer(app.admin),
      await app.session(app.admin),
      asClient('prometheus'),
    ]
    for (const headers of all) {
      const { status, headers: answered } = await app.call('GET', '/metrics', { headers })
      assert.equal(status, 200)
      assert.equal(answered['content-type'], 'text/plain; version=0.0.4; charset=utf-8')
      assert.match(String(answered.vary), /Accept/)
    }
    const head = await app.call('HEAD', '/metrics', { headers: asClient('prometheus') })
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  test('no other caller: 401 and 403, without a metric', async () => {
    const anonymous = await app.call('GET', '/metrics')
    assert.deepEqual(
      [anonymous.status, anonymous.text],
      [401, '{"error":"Authentication required"}'],
    )
    for (const headers of [app.basic(ann), await app.bearer(ann), asClient('shop')]) {
      const { status, text } = await app.call('GET', '/metrics', { headers })
      assert.deepEqual([status, text], [403, '{"error":"Access denied"}'])
    }
    const wrong = await app.call('GET', '/metrics', { headers: asClient('prometheus', 'guess') })
    assert.deepEqual([wrong.status, wrong.text], [401, '{"error":"Authentication required"}'])
  })

  test('a client for metrics may do nothing with tokens', async () => {
    const form = { token: await app.token(app.admin) }
    for (const path of ['/oauth/introspect', '/oauth/revoke']) {
      const { status } = await app.call('POST', path, { headers: asClient('prometheus'), form })
      assert.equal(status, 403)
    }
    const me = await app.call('GET', '/api/me', {
      headers: { authorization: `Bearer ${form.token}` },
    })
    assert.equal(me.status, 200)
  })

  test('the general rate limit counts it, as every path but the probes', async () => {
    const limited = await testApp({ RATE_LIMIT_MAX: '3', CLIENTS_FILE })
    for (let round = 0; round < 3; round += 1) await read(limited, asClient('prometheus'))
    const headers = asClient('prometheus')
    const { status, body } = await limited.call('GET', '/metrics', { headers })
    assert.deepEqual([status, body], [429, { error: 'Too many requests' }])
    await limited.close()
  })
})

suite('GET /metrics: its two forms', async () => {
  const app = await testApp()
  const form = async (accept?: string) => {
    const headers = { ...app.basic(app.admin), ...(accept !== undefined && { accept }) }
    const { headers: answered, text } = await app.call('GET', '/metrics', { headers })
    return { type: String(answered['content-type']).split(';')[0], text }
  }

  const accepts: readonly (readonly [accept: string | undefined, type: string])[] = [
    [undefined, 'text/plain'],
    ['*/*', 'text/plain'],
    ['text/html', 'text/plain'],
    ['application/openmetrics-text', 'application/openmetrics-text'],
    [
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
      'application/openmetrics-text',
    ],
    ['application/openmetrics-text;q=0.1, text/plain', 'text/plain'],
    ['application/openmetrics-text;q=0, */*', 'text/plain'],
    [`${'text/x, '.repeat(200)}application/openmetrics-text`, 'text/plain'],
  ]
  for (const [accept, type] of accepts) {
    test(`Accept: ${accept?.slice(0, 60)} is answered as ${type}`, async () => {
      assert.equal((await form(accept)).type, type)
    })
  }

  test('OpenMetrics ends with EOF, and names a counter without _total', async () => {
    const { text } = await form('application/openmetrics-text')
    assert.ok(text.endsWith('\n# EOF\n'))
    assert.match(text, /^# TYPE gatehouse_http_requests counter$/m)
    assert.match(text, /^gatehouse_http_requests_total\{/m)
    assert.doesNotMatch(text, /_total_total/)
  })

  test('every metric has a help and a type, and every series a number', async () => {
    const { text } = await form()
    const named = (word: string) =>
      [...text.matchAll(new RegExp(`^# ${word} (\\w+) .+$`, 'gm'))].map(([, name]) => name)
    assert.deepEqual(named('HELP'), named('TYPE'))
    assert.equal(new Set(named('HELP')).size, named('HELP').length)
    const names = new Set(named('TYPE'))
    for (const { name, value } of seriesIn(text)) {
      assert.ok(names.has(name) || names.has(name.replace(/_(?:bucket|sum|count)$/, '')), name)
      assert.ok(Number.isFinite(value), name)
    }
  })
})

suite('GET /metrics: what it counts', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '3', LOGIN_LOCK_AFTER: '4' })
  const ann = await app.account('ann')
  const logIn = (username: string, password: string, from?: string) =>
    app.call('POST', '/login', { form: { username, password }, ...(from && { from }) })

  test('requests by pattern, method and status', async () => {
    const name = 'gatehouse_http_requests_total'
    const labels = { route: '/users/:id', method: 'GET', status: '404' }
    const headers = app.basic(app.admin)
    const work = async () => {
      for (const id of ['999', 'x', '77']) await app.call('GET', `/users/${id}`, { headers })
    }
    assert.equal(await added(app, work, name, labels), 3)
    const { route, method } = labels
    const count = 'gatehouse_http_request_duration_seconds_count'
    assert.equal(await added(app, work, count, { route, method }), 3)
    const inFlight = sum(await read(app), 'gatehouse_http_requests_in_flight')
    assert.equal(inFlight, 1) // the one that asks
  })

  test('buckets are cumulative, and the last is the count', async () => {
    const name = 'gatehouse_http_request_duration_seconds'
    const labels = { route: '/metrics', method: 'GET' }
    const series = (await read(app)).filter(({ labels: { route } }) => route === '/metrics')
    const buckets = series.filter((one) => one.name === `${name}_bucket`).map((one) => one.value)
    assert.ok(buckets.length > 5)
    assert.deepEqual(
      buckets,
      buckets.toSorted((a, b) => a - b),
    )
    assert.equal(buckets.at(-1), sum(series, `${name}_count`, labels))
  })

  test('logins: a success, a wrong password, a throttled one, and Basic', async () => {
    const name = 'gatehouse_logins_total'
    const right = () => logIn('ann', ann.password)
    const wrong = () => logIn('ann', 'not the password')
    const success = { method: 'password', result: 'success', reason: 'none' }
    assert.equal(await added(app, right, name, success), 1)
    const refused = { method: 'password', result: 'refused' }
    const invalid = { ...refused, reason: 'invalidCredentials' }
    const thrice = async () => {
      for (let round = 0; round < 3; round += 1) assert.equal((await wrong()).status, 401)
    }
    assert.equal(await added(app, thrice, name, invalid), 3)
    const throttled = { ...refused, reason: 'tooManyLoginAttempts' }
    assert.equal(await added(app, wrong, name, throttled), 1)
    assert.equal(await added(app, wrong, 'gatehouse_throttled_total', { limit: 'login' }), 1)
    const basic = { method: 'basic', result: 'refused', reason: 'authenticationRequired' }
    const headers = app.basic({ ...ann, username: 'nobody', password: 'wrong' })
    assert.equal(
      await added(app, () => app.call('GET', '/api/account', { headers }), name, basic),
      1,
    )
    assert.equal(sum(await read(app), 'gatehouse_logins_total', { result: 'success' }), 1)
  })

  test('a lockout of an account', async () => {
    const bob = await app.account('bob')
    const work = async () => {
      for (let round = 0; round < 4; round += 1) {
        await logIn(bob.username, 'not the password', `192.0.2.${round + 1}`)
      }
    }
    assert.equal(await added(app, work, 'gatehouse_account_lockouts_total'), 1)
  })

  test('sessions and tokens: begun, ended, issued, revoked', async () => {
    const session = await app.session(app.admin)
    assert.equal(sum(await read(app), 'gatehouse_sessions_live') > 0, true)
    const end = () => app.call('POST', '/logout', { headers: session })
    const ended = 'gatehouse_sessions_ended_total'
    assert.equal(await added(app, end, ended, { reason: 'logout' }), 1)
    const begin = () => app.session(app.admin)
    assert.equal(await added(app, begin, 'gatehouse_sessions_started_total'), 1)
    assert.equal(await added(app, begin, 'gatehouse_sessions_live'), 1)
    const issue = () => app.token(app.admin)
    const issued = 'gatehouse_tokens_issued_total'
    assert.equal(await added(app, issue, issued, { grant: 'login' }), 1)
    const pair = await app.pair(app.admin)
    const refresh = () => app.call('POST', '/refresh', { form: pair })
    assert.equal(await added(app, refresh, issued, { grant: 'refresh' }), 1)
    const headers = await app.bearer(app.admin)
    const revoke = () => app.call('POST', '/logout', { headers })
    const revoked = 'gatehouse_tokens_revoked_total'
    assert.equal(await added(app, revoke, revoked, { reason: 'logout' }), 1)
  })

  test('a refresh token that comes again after its replacement', async () => {
    const rotating = await testApp({ REFRESH_ROTATION: 'on', REFRESH_GRACE_SECONDS: '0' })
    const form = await rotating.pair(rotating.admin)
    const refresh = () => rotating.call('POST', '/refresh', { form })
    assert.equal((await refresh()).status, 200)
    rotating.clock.advance(60)
    const again = async () => assert.equal((await refresh()).status, 401)
    const name = 'gatehouse_token_reuse_total'
    assert.equal(await added(rotating, again, name, { kind: 'refresh' }), 1)
    await rotating.close()
  })

  test('hashes of passwords, and statements of the database', async () => {
    const work = () => logIn('unknown-name', 'not the password', '192.0.2.77')
    assert.equal(await added(app, work, 'gatehouse_password_hash_duration_seconds_count'), 1)
    const statements = 'gatehouse_database_statement_duration_seconds_count'
    assert.ok((await added(app, work, statements)) >= 5)
    const commits = 'gatehouse_database_commit_duration_seconds_count'
    assert.ok((await added(app, work, commits)) >= 2)
    const series = await read(app)
    assert.equal(sum(series, 'gatehouse_database_up'), 1)
    assert.ok(sum(series, 'gatehouse_database_connections_max') >= 1)
    assert.ok(sum(series, 'gatehouse_password_hashes_waiting_max') >= 1)
    assert.ok(sum(series, 'gatehouse_database_wait_seconds_count') >= 1)
  })

  test('what runs: version, start, processor time, memory', async () => {
    const series = await read(app)
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    assert.equal(sum(series, 'gatehouse_build_info', { version }), 1)
    assert.equal(sum(series, 'gatehouse_workers'), 1)
    for (const name of ['cpu_seconds_total', 'resident_memory_bytes', 'start_time_seconds']) {
      assert.ok(sum(series, `process_${name}`, { worker: '0' }) > 0, name)
    }
  })

  test('every refusal of the table is there before its first time', async () => {
    const series = await read(app)
    const errors = series.filter(({ name }) => name === 'gatehouse_refusals_total')
    assert.deepEqual(
      errors.map(({ labels }) => labels.error).toSorted(),
      Object.entries(errorsOf(modules))
        .flatMap(([name, { isUnlisted }]) => (isUnlisted ? [] : [name]))
        .toSorted(),
    )
  })
})

suite('GET /metrics: the database is away', async () => {
  test('is told as such, and every other metric is answered', async () => {
    const app = await testApp()
    const { deps } = app
    const away = async () => {
      throw new Error('away')
    }
    const broken = [
      { assertDatabaseServes: away, sessions: { count: async () => 7 } },
      { assertDatabaseServes: async () => {}, sessions: { count: away } },
    ]
    for (const part of broken) {
      const given = { ...(await servicesOf(app)), ...deps, workers: soleProcess, ...part }
      const metrics = metricsOf(given)
      const series = seriesIn(await metrics.text('prometheus'))
      metrics.stop()
      assert.equal(series.find(({ name }) => name === 'gatehouse_database_up')?.value, 0)
      assert.equal(
        series.some(({ name }) => name === 'gatehouse_sessions_live'),
        false,
      )
      assert.ok(sum(series, 'gatehouse_build_info') === 1)
    }
  })
})

suite('GET /metrics: what is not measured by requests', async () => {
  const app = await testApp()
  const { deps } = app

  test('the lag of the audit log, by sink and without the folders of files', async () => {
    const metrics = metricsOf({
      ...(await servicesOf(app)),
      ...deps,
      sessions: { count: async () => 7 },
      auditProof: {
        lag: () => ({
          uncoveredMs: 1500,
          sinks: [
            { name: 'file:/var/lib/secret-folder/audit.jsonl', unsentMs: 0 },
            { name: 'syslog+tls://logs.example:6514', unsentMs: 61_000 },
          ],
        }),
      },
    })
    const text = await metrics.text('prometheus')
    metrics.stop()
    const lags = seriesIn(text).filter(({ name }) => name === 'gatehouse_audit_lag_seconds')
    assert.deepEqual(
      lags.map(({ labels: { sink }, value }) => [sink, value]),
      [
        ['checkpoint', 1.5],
        ['file:audit.jsonl', 0],
        ['syslog+tls://logs.example:6514', 61],
      ],
    )
    assert.ok(!text.includes('secret-folder'))
    assert.equal(sum(seriesIn(text), 'gatehouse_sessions_live'), 7)
  })

  test('when the certificate of TLS_CERT_FILE ends', async () => {
    const { certFile, env } = tlsFolder()
    const secure = await testApp(env)
    const { validTo } = new X509Certificate(readFileSync(certFile))
    const name = 'gatehouse_tls_certificate_expiry_timestamp_seconds'
    assert.equal(sum(await read(secure), name), Date.parse(validTo) / 1000)
    assert.equal(
      (await read(app)).some((one) => one.name === name),
      false,
    )
    await secure.close()
  })

  test('runs of jobs: how many succeeded and failed, and when one last did', async () => {
    const { signal } = new AbortController()
    const failing = {
      name: 'a job that fails',
      everyMs: 1000,
      run: () => Promise.reject(new Error('x')),
    }
    const working = { name: 'a job that works', everyMs: 1000, run: async () => {} }
    await attempt(failing, deps, signal)
    await attempt(working, deps, signal)
    await attempt(working, deps, signal)
    const series = await read(app)
    const runs = (job_name: string, result: string) =>
      sum(series, 'gatehouse_job_runs_total', { job_name, result })
    assert.deepEqual([runs(failing.name, 'failure'), runs(failing.name, 'success')], [1, 0])
    assert.deepEqual([runs(working.name, 'failure'), runs(working.name, 'success')], [0, 2])
    assert.equal(
      sum(series, 'gatehouse_job_last_success_timestamp_seconds', { job_name: working.name }),
      app.clock.now() / 1000,
    )
    assert.equal(
      series.some(
        ({ name, labels }) =>
          name === 'gatehouse_job_last_success_timestamp_seconds' &&
          labels.job_name === failing.name,
      ),
      false,
    )
    assert.equal(sum(series, 'gatehouse_job_duration_seconds_count', { job_name: working.name }), 2)
  })

  test('workers: counters are summed, gauges of a process have its index', async () => {
    const other = await testApp()
    await other.session(other.admin)
    await other.session(other.admin)
    await app.session(app.admin)
    const services = await servicesOf(app)
    const theirs: ((data: unknown) => unknown)[] = []
    const of = (given: TestApp, index: number, poll: () => Promise<Polled[]>) =>
      metricsOf({
        ...services,
        ...given.deps,
        sessions: { count: async () => 3 },
        workers: {
          index,
          pollOthers: poll,
          onAsked: (_: string, answer: (data: unknown) => unknown) => void theirs.push(answer),
        },
      })
    const second = of(other, 1, async () => [])
    const [answer] = theirs
    // As it comes through the channel: as JSON, without an answer of one that is silent.
    const told = JSON.parse(JSON.stringify(await answer?.(undefined)))
    let polled: Polled[] = [{ pid: 1, answer: told }, { pid: 2 }]
    const first = of(app, 0, async () => polled)
    const series = seriesIn(await first.text('prometheus'))
    polled = [{ pid: 1 }, { pid: 2, answer: [] }]
    const later = seriesIn(await first.text('prometheus'))
    polled = [{ pid: 2, answer: [] }]
    const without = seriesIn(await first.text('prometheus'))
    for (const metrics of [first, second]) metrics.stop()
    assert.deepEqual(
      [sum(series, 'gatehouse_workers'), sum(series, 'gatehouse_workers_silent')],
      [2, 1],
    )
    // A worker that is busy now: what it has counted stays, what it is at is not told.
    assert.deepEqual(
      [sum(later, 'gatehouse_workers'), sum(later, 'gatehouse_workers_silent')],
      [2, 1],
    )
    assert.equal(sum(later, 'gatehouse_sessions_started_total'), 3)
    assert.deepEqual(
      later
        .filter(({ name }) => name === 'process_resident_memory_bytes')
        .map(({ labels }) => labels.worker),
      ['0'],
    )
    assert.equal(sum(without, 'gatehouse_sessions_started_total'), 1)
    assert.equal(sum(series, 'gatehouse_sessions_started_total'), 3)
    const logins = { route: '/login', method: 'POST', status: '200' }
    assert.equal(sum(series, 'gatehouse_http_requests_total', logins), 3)
    assert.equal(sum(series, 'gatehouse_sessions_live'), 3)
    for (const name of ['process_resident_memory_bytes', 'gatehouse_http_requests_in_flight']) {
      const workers = series.filter((one) => one.name === name).map(({ labels }) => labels.worker)
      assert.deepEqual(workers, ['0', '1'], name)
    }
    assert.equal(
      new Set(series.map(({ name, labels }) => JSON.stringify([name, labels]))).size,
      series.length,
    )
  })

  test('a label that breaks its promise fills neither the memory nor the text', () => {
    const counters = new Counters([['known']], 3)
    for (let number = 0; number < 100; number += 1) counters.add([`value ${number}`])
    assert.deepEqual(
      counters.entries().map(({ values: [value], count }) => [value, count]),
      [
        ['known', 0],
        ['value 0', 1],
        ['value 1', 1],
        ['other', 98],
      ],
    )
  })

  test('a password that the full queue refuses is counted', async () => {
    const own = createMeasurements().of(hashing)
    const gate = Promise.withResolvers<void>()
    const queue = measuredQueue(hashingQueue({ running: 1, waiting: 1 }), own)
    const all = [0, 1, 2].map(() => queue.run(() => gate.promise))
    assert.deepEqual(own.queue?.(), { running: 1, waiting: 1, maxWaiting: 1 })
    gate.resolve()
    const outcomes = await Promise.allSettled(all)
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected'],
    )
    assert.deepEqual([own.refused, own.durations.counts.reduce((a, b) => a + b)], [1, 2])
  })

  test('requests over a socket: malformed ones, and those whose client leaves', async () => {
    const { port } = await app.listen()
    const unrouted = 'gatehouse_http_unrouted_requests_total'
    const malformed = () => exchange(port, 'nonsense\r\n\r\n')
    assert.equal(await added(app, malformed, unrouted, { status: '400' }), 1)
    const odd = () => ask(port, 'CONNECT /users HTTP/1.1')
    assert.equal(await added(app, odd, unrouted, { status: '404' }), 1)
    const route = { route: '/api/public/status', method: 'GET', status: '200' }
    const plain = () => ask(port, 'GET /api/public/status HTTP/1.1')
    assert.equal(await added(app, plain, 'gatehouse_http_requests_total', route), 1)
  })

  test('a request whose client leaves before its answer is told as aborted, once', () => {
    const requests = new RequestMeasurements()
    const response: Measured & { statusCode: number; writableEnded: boolean } = {
      statusCode: 200,
      writableEnded: false,
    }
    requests.begin(response, '/users', 'GET')
    assert.equal(requests.inFlight, 1)
    requests.end(response)
    requests.end(response)
    assert.equal(requests.inFlight, 0)
    const counted = [...requests.entries()].map(([route, method, { statuses }]) => {
      return [route, method, [...statuses]]
    })
    assert.deepEqual(counted, [['/users', 'GET', [[aborted, { count: 1 }]]]])
  })
})

// A database makes a difference: each part asks it, and one of them may fail.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { latestSchema } from '../../src/core/database/migrate.ts'
import { ofJob } from '../../src/core/measurements/measurements.ts'
import type { Needs } from '../../src/core/module/services.ts'
import { attempt, startJobs } from '../../src/core/runtime/jobs.ts'
import { statusParts } from '../../src/extras/status/parts.ts'
import { type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { testDatabase } from '../database.ts'
import { linkedWorkers } from '../linked-workers.ts'
import { servicesOf } from '../mail.ts'
import { runJob } from '../statistics.ts'
import { until } from '../until.ts'
import { newWebhook } from '../webhooks.ts'

async function statusOf(app: TestApp) {
  const answer = await app.call('GET', '/api/admin/status', { headers: app.basic(app.admin) })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

async function testMail(app: TestApp): Promise<void> {
  const answer = await app.call('POST', '/api/admin/mail/test', {
    headers: app.basic(app.admin),
    json: { address: 'ops@example.org', language: 'en' },
  })
  assert.equal(answer.status, 202, answer.text)
}

/** Schedules the jobs, as a start does, and ends that before the first of them runs. */
async function scheduled(app: TestApp): Promise<void> {
  await startJobs(app.app.jobs, app.deps)()
}

suite('GET /api/admin/status', async () => {
  const app = await testApp({ LOGIN_ATTEMPTS: '3', LOGIN_LOCK_AFTER: '3' })
  await scheduled(app)

  test('one answer to what an operator looks at first', async () => {
    app.clock.advance(90.5)
    const { host, jobs, node_version, version, ...rest } = await statusOf(app)
    assert.match(version, /^\d+\.\d+\.\d+/)
    assert.equal(node_version, process.versions.node)
    assert.ok(host.length > 0)
    assert.ok(jobs.length > 20)
    assert.deepEqual(rest, {
      at: '2026-01-15T12:01:30.500Z',
      base_url: 'http://127.0.0.1:3000',
      database: testDatabase === 'sqlite' ? 'sqlite' : 'postgresql',
      started_at: '2026-01-15T12:00:00.000Z',
      uptime_seconds: 90,
      workers: 1,
      readiness: { ready: true, reason: null, warnings: [] },
      schema: { version: latestSchema, latest: latestSchema },
      mail: {
        ...{ enabled: true, server: false, waiting: 0, failed: 0 },
        ...{ oldest_waiting_seconds: 0, trouble: null },
      },
      webhooks: {
        enabled: 0,
        disabled: 0,
        failed: 0,
        oldest_waiting_seconds: 0,
        oldest_waiting_failing_seconds: 0,
      },
      backups: {
        enabled: false,
        last_at: null,
        age_seconds: null,
        every_seconds: null,
        failures: 0,
        detail: null,
        warning: null,
      },
      throttled: { logins: 0, addresses: 0, accounts: 0 },
      unusual: [],
      unknown: [],
    })
  })

  test('mails and webhooks that wait, and who is throttled', async () => {
    await testMail(app)
    app.clock.advance(30)
    await newWebhook(app)
    const { username } = await app.account('ann')
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await app.call('POST', '/login', { json: { username, password: 'a phrase of nobody' } })
    }
    const { mail, throttled, webhooks } = await statusOf(app)
    assert.deepEqual([mail.waiting, mail.oldest_waiting_seconds], [1, 30])
    assert.equal(webhooks.enabled, 1)
    assert.deepEqual(throttled, { logins: 1, addresses: 0, accounts: 1 })
  })

  test('a job: that waits, succeeds, fails, and is overdue', async () => {
    const stateOf = async (name: string) =>
      (await statusOf(app)).jobs.find((job: { name: string }) => job.name === name)
    const name = 'old refusals'
    const waiting = {
      name,
      every_seconds: 60,
      last_run_at: null,
      last_success_at: null,
      last_failure_at: null,
      failures: 0,
      result: 'waiting',
      overdue: false,
    }
    assert.deepEqual(await stateOf(name), waiting)
    app.clock.advance(60)
    assert.deepEqual(await stateOf(name), { ...waiting, overdue: true })
    const job = app.app.jobs.find((known) => known.name === name)
    assert.ok(job)
    const stop = new AbortController().signal
    await attempt(job, app.deps, stop)
    const at = new Date(app.clock.now()).toISOString()
    const good = { ...waiting, last_run_at: at, last_success_at: at, result: 'succeeded' }
    assert.deepEqual(await stateOf(name), good)
    app.clock.advance(180)
    assert.deepEqual(await stateOf(name), good, 'three times as long as it should take')
    app.clock.advance(1)
    assert.deepEqual(await stateOf(name), { ...good, overdue: true })
    const failing = { ...job, run: () => Promise.reject(new Error('away')) }
    await attempt(failing, app.deps, stop)
    const later = new Date(app.clock.now()).toISOString()
    assert.deepEqual(await stateOf(name), {
      ...good,
      ...{ last_run_at: later, last_failure_at: later },
      ...{ failures: 1, overdue: true, result: 'failed' },
    })
    await attempt(job, app.deps, stop)
    const { overdue, result } = await stateOf(name)
    assert.deepEqual([overdue, result], [false, 'succeeded'])
  })

  test('callers at the same time share one reading', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => statusOf(app)))
    for (const answer of answers) assert.deepEqual(answer, answers[0])
  })
})

suite('a status of which something is broken', async () => {
  test('a part that cannot be read is null, and said to be; the others stand', async () => {
    const app = await testApp()
    await sql`alter table webhook_endpoints rename to gone`.execute(app.deps.db)
    const { mail, schema, throttled, unknown, webhooks } = await statusOf(app)
    assert.deepEqual([webhooks, unknown], [null, [{ part: 'webhooks', reason: 'fault' }]])
    assert.ok(mail && schema && throttled)
    const lines = app.log.filter(({ msg }) => msg === 'a part of the status could not be read')
    assert.deepEqual(
      lines.map(({ level, part }) => [level, part]),
      [['error', 'webhooks']],
    )
    await sql`alter table gone rename to webhook_endpoints`.execute(app.deps.db)
    assert.deepEqual((await statusOf(app)).unknown, [])
  })

  test('what the database does not tell is unknown because of it', async () => {
    const app = await testApp()
    const { readParts } = await import('../../src/extras/status/read-parts.ts')
    const { DatabaseUnavailable } = await import('../../src/core/database/errors.ts')
    const away = () => Promise.reject(new DatabaseUnavailable('away'))
    const services = await servicesOf(app)
    const parts = await statusParts(services.modules, { read: async () => [] })
    const deps = {
      ...{ ...app.deps, ...services },
      ...{ mailAdmin: { count: away }, lock: { count: away } },
    }
    const { mail, throttled, unknown, webhooks } = await readParts(parts, deps as unknown as Needs)
    assert.deepEqual([mail, throttled], [null, null])
    assert.ok(webhooks)
    assert.deepEqual(
      unknown.toSorted((one, other) => (one.part < other.part ? -1 : 1)),
      [
        { part: 'mail', reason: 'database' },
        { part: 'throttled', reason: 'database' },
      ],
    )
  })

  test('a part that takes too long is unknown, and keeps no answer waiting', async () => {
    const app = await testApp()
    const { readParts } = await import('../../src/extras/status/read-parts.ts')
    const services = await servicesOf(app)
    const parts = await statusParts(services.modules, { read: async () => [] })
    const count = () => new Promise<number>(() => {})
    const deps = {
      ...{ ...app.deps, ...services },
      lock: { count },
    }
    const reading = readParts(parts, deps as unknown as Needs)
    await until(() => app.clock.waits().length === 1)
    app.clock.advance(5)
    const { throttled, unknown } = await reading
    assert.deepEqual([throttled, unknown], [null, [{ part: 'throttled', reason: 'late' }]])
    assert.deepEqual(app.clock.waits(), [])
  })

  test('a mail server that takes no mail is told with what it said', async () => {
    const mail = { SMTP_URL: 'smtp+insecure://127.0.0.1:1', MAIL_FROM: 'gate@example.org' }
    const app = await testApp(mail)
    await testMail(app)
    assert.equal((await statusOf(app)).mail.trouble, null)
    await runJob(app, 'mail')
    const { trouble, waiting } = (await statusOf(app)).mail
    assert.equal(waiting, 1)
    assert.equal(trouble?.since, new Date(app.clock.now()).toISOString())
    assert.ok(trouble.response.length > 0)
  })
})

suite('the status of several workers', async () => {
  test('of a job that each runs, the one that fares worst is told', async () => {
    const clock = fixedClock()
    const [first, second] = linkedWorkers(2)
    assert.ok(first && second)
    const one = await testApp({}, { clock, deps: { workers: first } })
    const two = await testApp({}, { clock, directory: one.directory, deps: { workers: second } })
    for (const { deps } of [one, two]) {
      ofJob(deps.measurements, 'mail').everyMs = 1000
      ofJob(deps.measurements, 'mail').lastSuccessAt = clock.now()
    }
    ofJob(two.deps.measurements, 'mail').failed = 7
    ofJob(two.deps.measurements, 'mail').lastResult = 'failed'
    for (const app of [one, two]) {
      const { jobs, workers } = await statusOf(app)
      assert.equal(workers, 2)
      assert.deepEqual(
        jobs.map(({ failures, name, result }: Record<string, unknown>) => [name, result, failures]),
        [['mail', 'failed', 7]],
      )
    }
  })
})

suite('what is unusual', async () => {
  const clock = fixedClock('2026-01-15T12:30:00Z')
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '0' }, { clock })
  const dayMs = 86_400_000
  const hour = Date.parse('2026-01-15T12:00:00Z')
  const wrong = async (times: number) => {
    for (let attempt = 0; attempt < times; attempt += 1) {
      const json = { username: `nobody ${attempt} ${clock.now()}`, password: 'x' }
      await app.call('POST', '/login', { json })
    }
  }
  const series = 'logins|password|refused'
  const before = (days: number, count: number) => ({
    ...{ step: 3600, at: hour - days * dayMs, series, count },
  })
  const unusual = async () => (await statusOf(app)).unusual
  const insert = (...rows: ReturnType<typeof before>[]) =>
    app.deps.db.insertInto('statistics_buckets').values(rows).execute()

  test('nothing is, as long as three days have not been counted', async () => {
    await wrong(25)
    assert.deepEqual(await unusual(), [])
    await insert(before(1, 2), before(2, 4))
    assert.deepEqual(await unusual(), [])
  })

  test('more than three times the median of the same hour of the days before, and at least 20', async () => {
    await insert(before(3, 900))
    const found = { name: 'logins', labels: { method: 'password', result: 'refused' } }
    assert.deepEqual(await unusual(), [{ ...found, count: 25, usual: 4, days: 3 }])
    await insert(before(4, 12))
    assert.deepEqual(await unusual(), [{ ...found, count: 25, usual: 8, days: 4 }])
    await insert(before(5, 12))
    assert.deepEqual(await unusual(), [], '25 is not more than three times 12')
    await wrong(12)
    assert.deepEqual(await unusual(), [{ ...found, count: 37, usual: 12, days: 5 }])
  })

  test('an hour later it is over', async () => {
    await runJob(app, 'statistics')
    clock.advance(3600)
    assert.deepEqual(await unusual(), [])
  })
})

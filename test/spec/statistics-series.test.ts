// A database makes a difference: counts are added by an upsert, and purged by statements of its own.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { passwordOf, type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { enrolled } from '../factor.ts'
import { assertRefusal } from '../refusal.ts'
import { begunSignUp, invited, mailboxOf, profileOf } from '../registration.ts'
import { bucketsOf, columnsOf, moreIn, runJob, totalsOf } from '../statistics.ts'
import { importLines, line } from '../transfer.ts'

const path = '/api/admin/statistics/series'

suite('what the time series count', async () => {
  const app = await testApp({ SIGN_UP: 'open', LOGIN_ATTEMPTS: '3', LOGIN_LOCK_AFTER: '3' })
  const headers = await app.session(app.admin)

  /** What the work has counted, without the requests and their readings. */
  async function counted(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const before = await totalsOf(app, headers)
    await work()
    const more = moreIn(before, await totalsOf(app, headers))
    return Object.fromEntries(Object.entries(more).filter(([name]) => !name.startsWith('requests')))
  }

  test('logins by password: success, refused, throttled, and the lockout', async () => {
    const { username, password } = await app.account('ann')
    const login = (json: object) => app.call('POST', '/login', { json: { username, ...json } })
    assert.deepEqual(await counted(() => login({ password })), {
      'logins password success': 1,
      'second_factor no': 1,
      'tokens_issued login': 1,
    })
    const wrong = { password: 'a phrase of nobody' }
    assert.deepEqual(
      await counted(async () => {
        for (let attempt = 0; attempt < 4; attempt += 1) await login(wrong)
      }),
      {
        account_lockouts: 1,
        'logins password refused': 3,
        'logins password throttled': 1,
        'refusals login limit': 1,
        'refusals password': 3,
        'throttled login': 1,
      },
    )
  })

  test('a second factor that is asked for, and one that is shown', async () => {
    const { device, who } = await enrolled(app, 'factored')
    const { username, password } = who
    const json = { username, password }
    assert.deepEqual(await counted(() => app.call('POST', '/login', { json })), {
      'logins password incomplete': 1,
      'refusals second factor': 1,
    })
    const work = () => app.call('POST', '/login', { json: { ...json, totp: device.code() } })
    assert.deepEqual(await counted(work), {
      'logins password success': 1,
      'second_factor yes': 1,
      'tokens_issued login': 1,
    })
  })

  test('a login by form begins a session; Basic that is refused is a login', async () => {
    const who = await app.account('formed')
    const { username, password } = who
    const form = { username, password, mode: 'session' }
    assert.deepEqual(await counted(() => app.call('POST', '/login', { form })), {
      'logins password success': 1,
      'second_factor no': 1,
      sessions_started: 1,
    })
    const basic = (password: string) =>
      app.call('GET', '/users', { headers: app.basic({ ...who, password }) })
    assert.deepEqual(await counted(() => basic('a phrase of nobody')), {
      'logins basic refused': 1,
      'refusals password': 1,
    })
    assert.deepEqual(await counted(() => basic(password)), {})
    // A request without credentials is no login.
    assert.deepEqual(await counted(() => app.call('GET', '/users')), { 'refusals credential': 1 })
  })

  test('accounts by the way in which they came about', async () => {
    const mailbox = await mailboxOf(app)
    assert.deepEqual(await counted(() => app.account('made')), {
      'accounts_created administrator': 1,
    })
    const lines = [line('first'), line('second')]
    assert.deepEqual(await counted(() => importLines(app, app.basic(app.admin), lines)), {
      'accounts_created import': 2,
    })
    const begun = await begunSignUp(app, mailbox, 'signed@example.org')
    const json = { token: begun.token, ...profileOf('signed') }
    const signedUp = await counted(() => app.call('POST', '/api/public/sign-up/complete', { json }))
    assert.deepEqual(signedUp, { 'accounts_created sign_up': 1 })
    const wanted = { email: 'guest@example.org', roles: ['USER'] }
    const { token } = await invited(app, mailbox, wanted)
    const accepted = await counted(() =>
      app.call('POST', '/api/public/invitation', { json: { token, ...profileOf('guest') } }),
    )
    assert.deepEqual(accepted, { 'accounts_created invitation': 1 })
    // A user of the users resource has no account.
    const json2 = { name: 'Nobody', email: 'nobody@example.org' }
    assert.deepEqual(await counted(() => app.call('POST', '/users', { headers, json: json2 })), {})
  })

  test('requests by class, without those of probes', async () => {
    const before = await totalsOf(app, headers)
    await app.call('GET', '/health/live')
    await app.call('GET', '/health/ready')
    await app.call('GET', '/nowhere')
    await app.call('GET', '/api/public/status')
    const { 'requests 2xx': found, 'requests 4xx': missing } = moreIn(
      before,
      await totalsOf(app, headers),
    )
    // With one of the two readings, which ends before the other.
    assert.deepEqual([found, missing], [2, 1])
  })
})

suite('GET /api/admin/statistics/series', async () => {
  const clock = fixedClock('2026-01-15T12:34:56Z')
  const app = await testApp({}, { clock })
  const headers = await app.session(app.admin)
  const wrong = async (times: number) => {
    for (let attempt = 0; attempt < times; attempt += 1) {
      const json = { username: `nobody ${clock.now()} ${attempt}`, password: 'x' }
      await app.call('POST', '/login', { json, from: `192.0.2.${attempt + 1}` })
    }
  }
  const refused = 'logins password refused'

  test('minutes and hours, in columns of one length', async () => {
    await wrong(2)
    await runJob(app, 'statistics') // as each second
    clock.advance(60)
    await wrong(3)
    const minutes = await columnsOf(app, headers, { step: 'minute', name: 'logins,throttled' })
    const { from, since, step_seconds, times, to, values } = minutes
    assert.deepEqual(
      { from, since, step_seconds, to },
      {
        from: '2026-01-15T09:36:00.000Z',
        since: '2026-01-15T12:34:00.000Z',
        step_seconds: 60,
        to: '2026-01-15T12:36:00.000Z',
      },
    )
    assert.deepEqual([times.length, times[0], times.at(-1)], [180, 1_768_469_760, 1_768_480_500])
    assert.deepEqual(values[refused]?.slice(-3), [0, 2, 3])
    assert.deepEqual(
      Object.values(values)
        .map(({ length }) => length)
        .find((one) => one !== 180),
      undefined,
    )
    // What did not happen is told as well, if it is usual.
    assert.deepEqual(
      Object.keys(values).filter((name) => name.startsWith('throttled')),
      ['throttled login', 'throttled requests'],
    )
    const hours = await columnsOf(app, headers)
    assert.deepEqual(
      [hours.from, hours.to, hours.step_seconds, hours.times.length, hours.values[refused]?.at(-1)],
      ['2026-01-08T13:00:00.000Z', '2026-01-15T13:00:00.000Z', 3600, 168, 5],
    )
  })

  test('a range is made of whole buckets, and is cut to what is kept', async () => {
    const range = async (step: string, from: string, to?: string) => {
      const found = await columnsOf(app, headers, { step, from, ...(to && { to }) })
      return [found.from, found.to, found.times.length]
    }
    assert.deepEqual(await range('minute', '2026-01-15T12:30:30Z', '2026-01-15T12:32:30Z'), [
      '2026-01-15T12:30:00.000Z',
      '2026-01-15T12:33:00.000Z',
      3,
    ])
    assert.deepEqual(await range('minute', '2026-01-15T12:30:00Z', '2026-01-15T12:32:00Z'), [
      '2026-01-15T12:30:00.000Z',
      '2026-01-15T12:32:00.000Z',
      2,
    ])
    const kept = '2026-01-13T12:35:00.000Z'
    assert.deepEqual(await range('minute', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'), [
      kept,
      '2026-01-15T12:36:00.000Z',
      2881,
    ])
    assert.deepEqual(await range('hour', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z'), [
      '2025-10-17T12:00:00.000Z',
      '2026-01-15T13:00:00.000Z',
      2161,
    ])
    // All of it is gone, or has yet to come.
    assert.deepEqual(await range('minute', '2001-01-01T00:00:00Z', '2001-02-01T00:00:00Z'), [
      kept,
      kept,
      0,
    ])
    assert.deepEqual((await range('hour', '2101-01-01T00:00:00Z')).at(2), 0)
  })

  test('what is no range and no series is refused', async () => {
    const before = await bucketsOf(app)
    const time = 'must be a time like 2026-01-15T12:00:00Z'
    const names =
      'must be names of series: throttled, accounts_created, account_lockouts, sessions_started, tokens_issued, logins, second_factor, mails, webhooks, requests, refusals, lost_counts'
    const refusals: readonly (readonly [query: string, path: string, message: string])[] = [
      ['step=second', 'step', 'must be minute or hour'],
      ['step=', 'step', 'must be minute or hour'],
      ['step=minute&step=hour', 'step', 'must be given once'],
      ['from=yesterday', 'from', time],
      ['from=2026-02-30T00:00:00Z', 'from', time],
      ['from=1', 'from', time],
      ['to=', 'to', time],
      ['to=2026-01-15T12:00:00Z&to=2026-01-15T12:00:00Z', 'to', 'must be given once'],
      ['from=2026-01-15T12:00:00Z&to=2026-01-15T11:59:59Z', 'to', 'must not be before from'],
      ['name=passwords', 'name', names],
      ['name=logins,', 'name', names],
      ['name=__proto__', 'name', names],
      ['name=logins&name=%00', 'name', names],
    ]
    for (const [query, field, message] of refusals) {
      const answer = await app.call('GET', `${path}?${query}`, { headers })
      const details = [{ path: [field], message }]
      assertRefusal(answer, 400, 'Validation failed', query, { details })
    }
    assert.deepEqual(await bucketsOf(app), before)
  })

  test('a reading stores nothing; the job stores every ten seconds, in minutes and hours', async () => {
    assert.deepEqual(await bucketsOf(app), [])
    const before = await columnsOf(app, headers)
    clock.advance(1)
    await runJob(app, 'statistics')
    const stored = await bucketsOf(app)
    const [minute, hour] = [60, 3600].map((step) =>
      stored.filter(
        (bucket) => bucket.step === step && bucket.series === 'logins|password|refused',
      ),
    )
    assert.deepEqual(minute, [
      {
        step: 60,
        at: Date.parse('2026-01-15T12:34:00Z'),
        series: 'logins|password|refused',
        count: 2,
      },
      {
        step: 60,
        at: Date.parse('2026-01-15T12:35:00Z'),
        series: 'logins|password|refused',
        count: 3,
      },
    ])
    assert.deepEqual(hour, [
      {
        step: 3600,
        at: Date.parse('2026-01-15T12:00:00Z'),
        series: 'logins|password|refused',
        count: 5,
      },
    ])
    const after = await columnsOf(app, headers)
    assert.deepEqual(after.values[refused], before.values[refused])
    assert.equal(after.since, '2026-01-15T12:00:00.000Z')

    await wrong(1)
    clock.advance(9.999)
    await runJob(app, 'statistics')
    assert.deepEqual(await bucketsOf(app), stored)
    clock.advance(0.001)
    await runJob(app, 'statistics')
    const total = (await bucketsOf(app)).find(
      ({ series, step }) => step === 3600 && series === 'logins|password|refused',
    )
    assert.equal(total?.count, 6)
    assert.equal((await columnsOf(app, headers)).values[refused]?.at(-1), 6)
  })

  test('what was counted stays over a restart', async () => {
    const { directory } = app
    await wrong(2)
    const before = (await columnsOf(app, headers)).values[refused]?.at(-1)
    const again = await testApp({}, { clock, directory })
    await app.close()
    const values = await columnsOf(again, await again.session(again.admin))
    assert.deepEqual([before, values.values[refused]?.at(-1)], [8, 8])
  })
})

suite('what is kept of the time series', async () => {
  const clock = fixedClock('2026-01-15T12:00:30Z')
  const app = await testApp({}, { clock })
  const hourMs = 3_600_000
  const at = clock.now() - 30_000
  const stepsOf = async () => (await bucketsOf(app)).map(({ step }) => step)
  const row = (step: number, beginning: number, count = 1) => ({
    step,
    at: beginning,
    series: 'logins|password|success',
    count,
  })
  const clear = () => app.deps.db.deleteFrom('statistics_buckets').execute()
  const insert = (rows: readonly ReturnType<typeof row>[]) =>
    app.deps.db.insertInto('statistics_buckets').values(rows).execute()

  test('minutes of 48 hours, hours of 90 days, and nothing older', async () => {
    await clear()
    await insert([row(60, at), row(3600, at)])
    clock.advance(48 * 3600)
    await runJob(app, 'old statistics')
    assert.deepEqual(await stepsOf(), [60, 3600], 'its minute has not ended 48 hours ago')
    clock.advance(60)
    await runJob(app, 'old statistics')
    assert.deepEqual(await stepsOf(), [3600])
    clock.advance(88 * 24 * 3600)
    await runJob(app, 'old statistics')
    assert.deepEqual(await stepsOf(), [3600])
    clock.advance(3600)
    await runJob(app, 'old statistics')
    assert.deepEqual(await stepsOf(), [])
  })

  test('many are deleted in batches, the oldest first', async () => {
    const now = clock.now()
    const old = Array.from({ length: 130 }, (_, index) =>
      row(60, now - 49 * hourMs - index * 60_000),
    )
    await insert([...old, row(60, now - hourMs)])
    await runJob(app, 'old statistics')
    assert.deepEqual(
      (await bucketsOf(app)).map((bucket) => bucket.at),
      [now - hourMs],
    )
    await clear()
  })

  test('a series of a later version is kept and not shown', async () => {
    await insert([{ ...row(60, at), at: clock.now(), series: 'passkeys|used' }])
    const headers = await app.session(app.admin)
    const { values } = await columnsOf(app, headers, { step: 'minute' })
    assert.equal(
      Object.keys(values).some((name) => name.startsWith('passkeys')),
      false,
    )
  })
})

/** Stores what was counted at the end of a minute. */
async function stored(app: TestApp, seconds = 10): Promise<void> {
  app.clock.advance(seconds)
  await runJob(app, 'statistics')
}

suite('several processes add to one bucket', async () => {
  const { linkedWorkers } = await import('../linked-workers.ts')
  const clock = fixedClock()
  const [first, second] = linkedWorkers(2)
  assert.ok(first && second)
  const settings = { LOGIN_IP_ATTEMPTS: '0' }
  const one = await testApp(settings, { clock, deps: { workers: first } })
  const two = await testApp(settings, {
    ...{ clock, directory: one.directory },
    deps: { workers: second },
  })
  const headers = await one.session(one.admin)
  const wrong = (app: TestApp, username: string) =>
    app.call('POST', '/login', { json: { username, password: passwordOf('wrong') } })
  const refused = async (app: TestApp) =>
    (await columnsOf(app, headers)).values['logins password refused']?.at(-1)

  test('a worker tells what another one has not stored yet, and their counts are added', async () => {
    await wrong(one, 'a')
    await wrong(two, 'b')
    await wrong(two, 'c')
    assert.deepEqual([await refused(one), await refused(two)], [3, 3])
    clock.advance(10)
    await Promise.all([runJob(one, 'statistics'), runJob(two, 'statistics')])
    assert.deepEqual([await refused(one), await refused(two)], [3, 3])
    const [bucket] = (await bucketsOf(one)).filter(
      ({ series, step }) => step === 3600 && series === 'logins|password|refused',
    )
    assert.equal(bucket?.count, 3)
  })

  test('a hundred additions at the same time lose none', async () => {
    const before = (await refused(one)) ?? 0
    for (let round = 0; round < 25; round += 1) {
      await Promise.all([wrong(one, `d${round}`), wrong(two, `e${round}`)])
      await Promise.all([stored(one), stored(two, 0), stored(one), stored(two, 0)])
    }
    assert.equal(await refused(two), before + 50)
  })
})

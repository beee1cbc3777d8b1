// A database makes a difference: it is away, locked, and written by two at once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DatabaseUnavailable } from '../../src/core/database/errors.ts'
import { createPending, hourMs, minuteMs } from '../../src/extras/statistics/pending.ts'
import { type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { databaseLock, refuseChanges } from '../database.ts'
import { assertRefusal } from '../refusal.ts'
import { bucketsOf, columnsOf, runJob } from '../statistics.ts'

const path = '/api/admin/statistics/series'
const refusedLogins = 'logins|password|refused'

async function wrong(app: TestApp, times = 1): Promise<void> {
  for (let attempt = 0; attempt < times; attempt += 1) {
    const json = { username: `nobody ${app.clock.now()} ${attempt}`, password: 'x' }
    await app.call('POST', '/login', { json })
  }
}

const hoursOf = async (app: TestApp) =>
  (await bucketsOf(app))
    .filter(({ series, step }) => step === 3600 && series === refusedLogins)
    .map(({ at, count }) => [new Date(at).toISOString(), count])

suite('time series while the database is away', async () => {
  const settings = { LOGIN_IP_ATTEMPTS: '0', DATABASE_TIMEOUT_MS: '50' }
  const app = await testApp(settings, { clock: fixedClock('2026-01-15T12:00:00Z') })

  test('a locked database loses no count, and keeps each in its minute', async () => {
    await wrong(app, 2)
    app.clock.advance(60)
    const lock = await databaseLock(app)
    await lock.hold()
    await assert.rejects(runJob(app, 'statistics'), DatabaseUnavailable)
    app.clock.advance(3600)
    await lock.release()
    await wrong(app, 3)
    await runJob(app, 'statistics')
    assert.deepEqual(await hoursOf(app), [
      ['2026-01-15T12:00:00.000Z', 2],
      ['2026-01-15T13:00:00.000Z', 3],
    ])
    app.clock.advance(10)
    await runJob(app, 'statistics')
    assert.equal((await hoursOf(app)).length, 2, 'and none is added twice')
  })

  test('a database that refuses the row gets the counts once it takes them', async () => {
    const before = await bucketsOf(app)
    const allow = await refuseChanges(app, 'insert on statistics_buckets')
    await wrong(app, 2)
    app.clock.advance(7200)
    for (let attempt = 0; attempt < 3; attempt += 1) {
      await assert.rejects(runJob(app, 'statistics'))
      app.clock.advance(10)
    }
    assert.deepEqual(await bucketsOf(app), before)
    const headers = await app.session(app.admin)
    const { values } = await columnsOf(app, headers)
    assert.equal(values['logins password refused']?.at(-1), 2, 'and shows them meanwhile')
    await allow()
    await runJob(app, 'statistics')
    assert.deepEqual((await hoursOf(app)).at(-1), ['2026-01-15T15:00:00.000Z', 2])
  })
})

suite('the bound of counts that are not stored', () => {
  const at = Date.parse('2026-01-15T12:00:00Z')

  test('beyond it the oldest minute gives way, and what is lost is said', () => {
    const pending = createPending(4)
    for (let minute = 0; minute < 3; minute += 1) {
      for (const series of ['a', 'b']) {
        pending.add({ at: at + minute * minuteMs + 5, series, count: minute + 1 })
      }
    }
    const lost = { at, series: 'lost_counts', count: 2 }
    assert.deepEqual(pending.all().slice(-1), [lost])
    const { buckets } = pending.take()
    assert.deepEqual(
      buckets.map(({ count, series, step }) => [step, series, count]),
      [
        [60, 'a', 2],
        [60, 'b', 2],
        [60, 'a', 3],
        [60, 'b', 3],
        [60, 'lost_counts', 2],
        [3600, 'a', 5],
        [3600, 'b', 5],
        [3600, 'lost_counts', 2],
      ],
    )
  })

  test('a month without a database keeps no more, and loses no sum', () => {
    const pending = createPending(100)
    const minutes = 30 * 24 * 60
    for (let minute = 0; minute < minutes; minute += 1) {
      pending.add({ at: at + minute * minuteMs, series: 'a', count: 1 })
      if (minute % 10_000 === 0) pending.take().putBack()
    }
    const all = pending.all()
    assert.equal(all.filter(({ series }) => series === 'a').length, 100)
    assert.ok(all.length <= 100 + 30 * 24, 'one row of what is lost for each hour')
    assert.equal(
      all.reduce((sum, { count }) => sum + count, 0),
      minutes,
    )
    assert.ok(all.every((counts) => counts.series === 'a' || counts.at % hourMs === 0))
  })

  test('what is being stored is told, and forgotten or put back when that has ended', () => {
    const pending = createPending()
    pending.add({ at, series: 'a', count: 1 })
    const first = pending.take()
    pending.add({ at, series: 'a', count: 2 })
    assert.deepEqual(
      pending.all().map(({ count }) => count),
      [1, 2],
    )
    first.putBack()
    assert.deepEqual(
      pending.all().map(({ count }) => count),
      [3],
    )
    pending.take().stored()
    assert.deepEqual([pending.all(), pending.take().buckets], [[], []])
  })
})

suite('time series and a clock that is set', async () => {
  const clock = fixedClock('2026-01-15T12:00:30Z')
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '0' }, { clock })

  test('back: counts are added to the minutes that there were, and the job goes on', async () => {
    await wrong(app, 2)
    clock.advance(3600)
    await wrong(app)
    await runJob(app, 'statistics')
    clock.advance(-3600)
    await wrong(app)
    await runJob(app, 'statistics')
    assert.deepEqual(await hoursOf(app), [
      ['2026-01-15T12:00:00.000Z', 1],
      ['2026-01-15T13:00:00.000Z', 3],
    ])
    // What lies ahead is not told, and not deleted.
    const headers = await app.session(app.admin)
    const { to, values } = await columnsOf(app, headers)
    assert.deepEqual(
      [to, values['logins password refused']?.at(-1)],
      ['2026-01-15T13:00:00.000Z', 1],
    )
    await runJob(app, 'old statistics')
    assert.equal((await hoursOf(app)).length, 2)
  })

  test('far ahead and back again: a range is cut by the present time', async () => {
    clock.advance(400 * 86_400)
    await runJob(app, 'statistics')
    clock.advance(-400 * 86_400)
    const headers = await app.session(app.admin)
    const { times, since } = await columnsOf(app, headers, { to: '2099-01-01T00:00:00Z' })
    assert.deepEqual([times.length, since], [168, '2026-01-15T12:00:00.000Z'])
  })
})

suite('who may read the time series', async () => {
  const app = await testApp()
  const paths = [path, '/api/admin/status', '/api/admin/settings']

  test('no role but ADMIN, and no other method', async () => {
    const before = await app.rows()
    for (const roles of [['USER'], ['EDITOR']] as const) {
      const headers = await app.session(await app.account(`a${roles[0].toLowerCase()}`, roles))
      for (const one of paths) {
        assertRefusal(await app.call('GET', one, { headers }), 403, 'Access denied')
      }
    }
    for (const one of paths) {
      const without = await app.call('GET', one)
      assertRefusal(without, 401, 'Authentication required')
      const headers = app.basic(app.admin)
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
        assertRefusal(await app.call(method, one, { headers }), 404, 'Route not found', method)
      }
    }
    assert.deepEqual((await app.rows()).statistics_buckets, before.statistics_buckets)
  })

  test('the widest range of a full table is read in parts, and others are served between them', async () => {
    const clock = fixedClock()
    const full = await testApp({}, { clock })
    const end = Math.floor(clock.now() / minuteMs) * minuteMs
    const series = Array.from({ length: 20 }, (_, index) => `refusals|guard ${index}`)
    const rows = Array.from({ length: 2880 }, (_, minute) =>
      series.map((name) => ({ step: 60, at: end - minute * minuteMs, series: name, count: 1 })),
    ).flat()
    const insert = async (some: typeof rows) =>
      void (await full.deps.db.insertInto('statistics_buckets').values(some).execute())
    for (let first = 0; first < rows.length; first += 5000) {
      await insert(rows.slice(first, first + 5000))
    }
    const headers = await full.session(full.admin)
    let isDone = false
    let turns = 0
    const turning = () => {
      turns += 1
      if (!isDone) setImmediate(turning)
    }
    const reading = columnsOf(full, headers, { step: 'minute', from: '2000-01-01T00:00:00Z' })
    turning()
    const { values } = await reading
    isDone = true
    const sums = Object.entries(values)
      .filter(([name]) => name.startsWith('refusals guard'))
      .map(([, counts]) => counts.reduce((sum, count) => sum + count, 0))
    assert.deepEqual(sums, new Array(20).fill(2880))
    assert.ok(turns >= 8, `${turns} turns of the event loop`)
  })
})

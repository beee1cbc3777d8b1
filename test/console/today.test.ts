import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { missingOf, stateOf } from '../../web/console/views/overview/step-states.ts'
import {
  daysAt,
  failedLogins,
  secondFactorShare,
  todayIn,
  within,
} from '../../web/console/views/overview/today.ts'

const hour = 3600
const zone = process.env.TZ

suite('the numbers of today against last week', () => {
  after(() => {
    if (zone === undefined) delete process.env.TZ
    else process.env.TZ = zone
  })

  test('the full hours of today, and the same hours a week ago', () => {
    const days = daysIn('Europe/Berlin', '2026-11-27T13:20:00Z')
    assert.deepEqual(days, {
      today: ['2026-11-26T23:00Z', '2026-11-27T14:00Z'],
      compared: ['2026-11-26T23:00Z', '2026-11-27T13:00Z'],
      weekAgo: ['2026-11-19T23:00Z', '2026-11-20T13:00Z'],
    })
  })

  test('before the first full hour nothing is compared', () => {
    const days = daysIn('Europe/Berlin', '2026-11-26T23:59:59Z')
    assert.equal(days.compared, null)
    assert.deepEqual(days.today, ['2026-11-26T23:00Z', '2026-11-27T00:00Z'])
  })

  test('across a change of the clock the time of day is the same', () => {
    // Summer time ended on 25 October: a week before, 10:00 in Berlin was 8:00 UTC.
    const days = daysIn('Europe/Berlin', '2026-10-27T09:30:00Z')
    assert.deepEqual(days.compared, ['2026-10-26T23:00Z', '2026-10-27T09:00Z'])
    assert.deepEqual(days.weekAgo, ['2026-10-19T22:00Z', '2026-10-20T08:00Z'])
  })

  test('in a zone of half hours the day begins with its first whole hour of UTC', () => {
    const days = daysIn('Asia/Kolkata', '2026-11-27T05:10:00Z')
    assert.deepEqual(days.compared, ['2026-11-26T19:00Z', '2026-11-27T05:00Z'])
    assert.deepEqual(days.weekAgo, ['2026-11-19T19:00Z', '2026-11-20T05:00Z'])
  })

  test('what was counted in each of them', () => {
    process.env.TZ = 'UTC'
    const now = new Date('2026-11-27T02:30:00Z')
    const today = todayIn({ ...read(now), since: '2026-11-01T00:00:00.000Z' }, now)
    // Hour n of the eight days has n successes: today 168, 169 and the present 170.
    const of = (result: string) =>
      today.of(
        ({ series }) =>
          series.find(({ labels }) => labels.result === result)?.values.reduce(sum, 0) ?? 0,
      )
    assert.deepEqual(of('success'), { today: 507, untilHour: 337, weekAgo: 1 })
    assert.deepEqual(today.of(failedLogins), { today: 6, untilHour: 4, weekAgo: 4 })
    assert.equal(today.isWeekKnown, true)
  })

  test('a week ago that was not counted from its first hour on is not known', () => {
    process.env.TZ = 'UTC'
    const now = new Date('2026-11-27T02:30:00Z')
    for (const since of [null, '2026-11-20T00:00:00.000Z', '2026-11-25T00:00:00.000Z']) {
      const today = todayIn({ ...read(now), since }, now)
      assert.equal(today.isWeekKnown, false, String(since))
      assert.deepEqual(today.of(failedLogins), { today: 6, untilHour: 4, weekAgo: null })
    }
  })

  test('the share of second factors, which is no number without a login', () => {
    const ofSecondFactor = (used: string, values: number[]) => ({
      name: 'second_factor',
      labels: { used },
      values,
    })
    const times = [0, hour]
    const series = [ofSecondFactor('yes', [1, 0]), ofSecondFactor('no', [3, 0])]
    assert.equal(secondFactorShare({ times, series }), 0.25)
    assert.equal(secondFactorShare(within({ times, series }, { from: hour, to: 2 * hour })), null)
  })
})

suite('the first steps', () => {
  const step = { id: 'mail', isEssential: true }

  test('a step is done, dismissed, open or unknown', () => {
    assert.equal(stateOf(true, ['mail'], step), 'done')
    assert.equal(stateOf(false, ['mail'], step), 'dismissed')
    assert.equal(stateOf(null, ['mail'], step), 'dismissed')
    assert.equal(stateOf(false, ['backup'], step), 'open')
    assert.equal(stateOf(null, [], step), 'unknown')
    assert.equal(stateOf(undefined, [], step), 'unknown')
  })

  test('an essential step is missing unless it is done or dismissed', () => {
    const other = { id: 'https', isEssential: false }
    const missing = missingOf([
      { step, state: 'open' },
      { step, state: 'unknown' },
      { step, state: 'done' },
      { step, state: 'dismissed' },
      { step: other, state: 'open' },
    ])
    assert.deepEqual(
      missing.map(({ state }) => state),
      ['open', 'unknown'],
    )
  })
})

function daysIn(timeZone: string, now: string) {
  process.env.TZ = timeZone
  const { compared, today, weekAgo } = daysAt(new Date(now))
  const shown = ({ from, to }: { from: number; to: number }) => [minute(from), minute(to)]
  return { today: shown(today), compared: compared && shown(compared), weekAgo: shown(weekAgo) }
}

function minute(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16)}Z`
}

/** Hours from a week ago on, with as many successes as hours before, and two failures each. */
function read(now: Date) {
  const from = daysAt(now).weekAgo.from
  const times = Array.from({ length: 171 }, (_, place) => from + place * hour)
  const series = [
    { name: 'logins', labels: { result: 'success' }, values: times.map((_, place) => place) },
    { name: 'logins', labels: { result: 'refused' }, values: times.map(() => 1) },
    { name: 'logins', labels: { result: 'throttled' }, values: times.map(() => 1) },
  ]
  return { times, series }
}

function sum(total: number, value: number): number {
  return total + value
}

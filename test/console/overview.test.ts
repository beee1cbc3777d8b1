import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { components } from '../../web/console/api/openapi.d.ts'
import { healthPart as ofBackups } from '../../web/console/views/backup/health-part.ts'
import { doctorHealth } from '../../web/console/views/doctor/doctor-health.ts'
import { healthPart as ofMail } from '../../web/console/views/mail/health-part.ts'
import { byLabel, largest, totalOf, widened } from '../../web/console/views/overview/buckets.ts'
import { overview as germanOverview } from '../../web/console/views/overview/de.ts'
import { overview } from '../../web/console/views/overview/en.ts'
import { healthOf as healthAs, verdictOf } from '../../web/console/views/overview/health.ts'
import { healthPart as ofWebhooks } from '../../web/console/views/webhooks/health-part.ts'
import { common as germanCommon } from '../../web/languages/de/common.ts'
import { common } from '../../web/languages/en/common.ts'

type Status = components['schemas']['AdminStatus']

const events = {}
const words = { ...overview, events }
const german = { ...germanOverview, events: words.events }
const healthOf = (shown: Status, texts: typeof words) =>
  healthAs(shown, {
    texts,
    ...(texts === german
      ? { language: 'de', inWords: germanCommon.inWords }
      : { language: 'en', inWords: common.inWords }),
    parts: [ofMail, ofWebhooks, ofBackups],
  })
const hour = 3600
// The last hour of a day, and the first of the next, of the first of November 2026 in UTC.
const midnight = Date.UTC(2026, 10, 2) / 1000
const times = Array.from({ length: 120 }, (_, minute) => midnight - hour + 60 * minute)
const ofLogins = (result: string, method: string, values: number[]) => ({
  name: 'logins',
  labels: { method, result },
  values,
})
const buckets = {
  times,
  series: [
    ofLogins(
      'success',
      'password',
      times.map(() => 1),
    ),
    ofLogins(
      'success',
      'provider',
      times.map(() => 2),
    ),
    ofLogins(
      'refused',
      'password',
      times.map((_, minute) => minute),
    ),
  ],
}

test('buckets are added up from the full hour of the reader on, and none is lost', () => {
  const hours = widened(buckets, hour, 0)
  assert.deepEqual(hours.times, [midnight - hour, midnight])
  assert.deepEqual(
    hours.series.map(({ values }) => values),
    [
      [60, 60],
      [120, 120],
      [1770, 5370],
    ],
  )
  // In India hours begin at the half hour of UTC.
  const indian = widened(buckets, hour, 5.5 * hour)
  assert.deepEqual(indian.times, [
    midnight - 1.5 * hour,
    midnight - 0.5 * hour,
    midnight + 0.5 * hour,
  ])
  assert.deepEqual(indian.series[0]?.values, [30, 60, 30])
  // In Berlin, an hour ahead in winter, both hours are of the same day.
  assert.deepEqual(widened(buckets, 24 * hour, hour).times, [midnight - hour])
})

test('the lines of a plot are sums by a label, of certain series alone', () => {
  const sums = byLabel(buckets, 'logins', { label: 'method', where: { result: 'success' } })
  assert.deepEqual(
    sums.map(({ label, values }) => [label, values[7]]),
    [
      ['password', 1],
      ['provider', 2],
    ],
  )
  assert.equal(byLabel(buckets, 'logins', { label: 'result' })[0]?.values[7], 3)
  assert.equal(totalOf(buckets, 'logins', { result: 'success' }), 360)
  assert.equal(totalOf(buckets, 'mails'), 0)
})

test('lines that are too many become the largest, and one of the others', () => {
  const lines = [1, 5, 3, 4].map((value) => ({ label: `${value}`, values: [value, 0] }))
  assert.deepEqual(largest(lines, 3, 'others'), [
    { label: '5', values: [5, 0] },
    { label: '4', values: [4, 0] },
    { label: 'others', values: [4, 0] },
  ])
  assert.deepEqual(largest(lines, 4, 'others'), lines)
})

test('the verdict names what is broken, before what needs a look', () => {
  const well = healthOf(status(), words)
  assert.deepEqual(verdictOf(well), { level: 'good', troubled: [] })
  assert.deepEqual(
    well.map(({ id, level }) => [id, level]),
    [
      ['service', 'good'],
      ['schema', 'good'],
      ['mail', 'good'],
      ['webhooks', 'off'],
      ['jobs', 'good'],
      ['backups', 'good'],
    ],
  )
  const late = status({
    mail: { ...mail, oldest_waiting_seconds: 400, waiting: 7 },
    backups: { ...backups, age_seconds: 200_000, warning: 'backup_late' },
  })
  const { level, troubled } = verdictOf(healthOf(late, words))
  assert.equal(level, 'bad')
  assert.deepEqual(
    troubled.map(({ text }) => text),
    ['The newest is 3 days old, which is too old.'],
  )
})

test('mail that is written to files is not good, and names the setting', () => {
  for (const [texts, pattern] of [
    [words, /^Mail is written to files.*Set SMTP_URL\.$/],
    [german, /^E-Mails werden in Dateien geschrieben.*Setzen Sie SMTP_URL\.$/],
  ] as const) {
    const [, , shown] = healthOf(status({ mail: { ...mail, server: false } }), texts)
    assert.equal(shown?.level, 'off')
    assert.match(shown?.text ?? '', pattern)
  }
})

test('a time that a message waits is told in whole seconds', () => {
  const waiting = {
    ...{ enabled: 1, disabled: 0, failed: 0, oldest_waiting_seconds: 0 },
    oldest_waiting_failing_seconds: 35.043,
  }
  const [, , , shown] = healthOf(status({ webhooks: waiting }), words)
  assert.equal(shown?.text, 'One does not answer; its oldest message waits for 36 seconds.')
})

test('what the status does not know needs a look, with the reason', () => {
  const unknown = [{ part: 'mail', reason: 'late' } as const]
  const { level, troubled } = verdictOf(healthOf(status({ mail: null, unknown }), words))
  assert.equal(level, 'warning')
  assert.deepEqual(
    troubled.map(({ name, text }) => [name, text]),
    [['Mail', 'The answer did not come in time.']],
  )
})

test('a clock that was set back is broken, although the service is ready', () => {
  const readiness = { ready: true, reason: null, warnings: ['clock_set_back'] }
  const { level, troubled } = verdictOf(healthOf(status({ readiness }), words))
  assert.equal(level, 'bad')
  assert.deepEqual(
    troubled.map(({ id, text }) => [id, text]),
    [['service', words.works.clockSetBack]],
  )
})

test('a service that is not ready says why, and what helps', () => {
  const readiness = { ready: false, reason: 'read_only', warnings: [] }
  const [first] = verdictOf(healthOf(status({ readiness }), words)).troubled
  assert.match(first?.text ?? '', /^The database takes no changes: promote the server/)
})

test('a job that failed at last, or is late, is named', () => {
  const job = {
    name: 'backups',
    every_seconds: 5,
    last_run_at: null,
    last_success_at: null,
    last_failure_at: null,
    failures: 1,
    result: 'failed',
    overdue: false,
  } as const
  const slow = { ...job, name: 'purge', result: 'succeeded', overdue: true } as const
  const good = { ...slow, name: 'mail', overdue: false } as const
  const [first] = verdictOf(healthOf(status({ jobs: [job, slow, good] }), words)).troubled
  assert.equal(first?.text, 'Late, or failed at last: backups, purge. The log says why.')
})

test('doctor counts for the verdict once it has examined', () => {
  const report = { checked_at: '', url: null, checks: 28, findings: [] }
  const counts = { errors: 1, warnings: 2, advice: 0, unknown: 1 }
  assert.deepEqual(verdictOf([doctorHealth(null, 'en')]), { level: 'good', troubled: [] })
  const found = doctorHealth({ ...report, ...counts }, 'en')
  assert.equal(found.level, 'bad')
  assert.equal(found.text, '1 error, 2 warnings, 1 check not made.')
})

const mail = {
  ...{ enabled: true, server: true, waiting: 0, failed: 0 },
  ...{ oldest_waiting_seconds: 0, trouble: null },
}
const backups = {
  enabled: true,
  last_at: '2026-03-02T03:00:00.000Z',
  age_seconds: 23_400,
  every_seconds: 86_400,
  failures: 0,
  detail: null,
  warning: null,
}

function status(more: Partial<Status> = {}): Status {
  return {
    at: '2026-03-02T09:30:00.000Z',
    version: '1.0.0',
    node_version: '26.0.0',
    database: 'sqlite',
    host: 'gatehouse-1',
    base_url: 'https://auth.example.org',
    started_at: '2026-03-02T08:00:00.000Z',
    uptime_seconds: 5400,
    workers: 1,
    readiness: { ready: true, reason: null, warnings: [] },
    schema: { version: 25, latest: 25 },
    mail,
    webhooks: {
      enabled: 0,
      disabled: 0,
      failed: 0,
      oldest_waiting_seconds: 0,
      oldest_waiting_failing_seconds: 0,
    },
    jobs: [],
    backups,
    throttled: { logins: 0, addresses: 0, accounts: 0 },
    unusual: [],
    unknown: [],
    ...more,
  }
}

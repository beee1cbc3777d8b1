import assert from 'node:assert/strict'
import type { Headers, TestApp } from './app.ts'

const path = '/api/admin/statistics/series'

/** The columns of a query, with the values of each series under its name and its labels. */
export async function columnsOf(
  app: TestApp,
  headers: Headers,
  query: Record<string, string> = {},
) {
  const asked = new URLSearchParams(query)
  const { body, status, text } = await app.call('GET', `${path}?${asked}`, { headers })
  assert.equal(status, 200, text)
  const { series, ...range } = body
  const values: Record<string, number[]> = {}
  for (const { labels, name, values: counts } of series) {
    values[[name, ...Object.values(labels)].join(' ')] = counts
  }
  return { ...range, values } as {
    readonly step_seconds: number
    readonly from: string
    readonly to: string
    readonly since: string | null
    readonly times: readonly number[]
    readonly values: Readonly<Record<string, readonly number[]>>
  }
}

/** How often each thing happened in the last hours: those that did. */
export async function totalsOf(app: TestApp, headers: Headers): Promise<Record<string, number>> {
  const { values } = await columnsOf(app, headers)
  const totals = Object.entries(values).map(([name, counts]): [string, number] => [
    name,
    counts.reduce((sum, count) => sum + count, 0),
  ])
  return Object.fromEntries(totals.filter(([, count]) => count > 0))
}

/** What is more in the second than in the first. */
export function moreIn(
  before: Readonly<Record<string, number>>,
  after: Readonly<Record<string, number>>,
): Record<string, number> {
  const more = Object.entries(after).map(([name, count]): [string, number] => [
    name,
    count - (before[name] ?? 0),
  ])
  return Object.fromEntries(more.filter(([, count]) => count !== 0))
}

/** All stored buckets. */
export function bucketsOf({ deps }: TestApp) {
  return deps.db
    .selectFrom('statistics_buckets')
    .selectAll()
    .orderBy('step')
    .orderBy('at')
    .orderBy('series')
    .execute()
}

export async function runJob(app: TestApp, name: string): Promise<void> {
  const job = app.app.jobs.find((known) => known.name === name)
  assert.ok(job, name)
  await job.run()
}

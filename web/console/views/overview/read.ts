import { inOverview, inOverviewIfByAnother } from 'made:events'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/openapi.d.ts'
import { statisticsPath, statusPath } from './area.ts'
import { type Buckets, totalOf } from './buckets.ts'
import type { Range } from './ranges.ts'
import { daysAt, type Today, todayIn } from './today.ts'

export type Status = components['schemas']['AdminStatus']
export type AuditRecord = components['schemas']['AuditRecord']

export function readStatus(signal: AbortSignal): Promise<Status> {
  return dataOf(api.GET(statusPath, { signal }))
}

export function readStatistics(signal: AbortSignal) {
  return dataOf(api.GET(statisticsPath, { signal }))
}

/** The series of a range, as they are stored and in the buckets of plots. */
export interface ReadSeries extends Buckets {
  /** When counting began; null: nothing was counted yet. */
  readonly since: string | null
  /** How many counts were lost while the database was away. */
  readonly lost: number
}

const names = [
  'logins',
  'second_factor',
  'accounts_created',
  'sessions_started',
  'account_lockouts',
  'throttled',
  'refusals',
  'requests',
  'lost_counts',
] as const

export async function readSeries(range: Range, signal: AbortSignal): Promise<ReadSeries> {
  const from = new Date(Date.now() - range.length * 1000).toISOString()
  const query = { step: range.step, from, name: [...names] }
  const { series, since, times } = await dataOf(
    api.GET('/api/admin/statistics/series', { params: { query }, signal }),
  )
  const buckets = { times, series }
  return { ...buckets, since, lost: totalOf(buckets, 'lost_counts') }
}

const comparedNames = ['logins', 'second_factor', 'accounts_created', 'sessions_started'] as const

/** The hours of a week ago up to now. */
export async function readToday(signal: AbortSignal): Promise<Today> {
  const now = new Date()
  const from = new Date(daysAt(now).weekAgo.from * 1000).toISOString()
  const query = { step: 'hour' as const, from, name: [...comparedNames] }
  return todayIn(
    await dataOf(api.GET('/api/admin/statistics/series', { params: { query }, signal })),
    now,
  )
}

const shownChanges = 12
const maxTypes = 20 // that one request to the API may name

/**
 * The last administrative events, the newest first. New accounts are read apart, because those that
 * people make for themselves would push the others out.
 */
export async function readChanges(signal: AbortSignal): Promise<AuditRecord[]> {
  const newest = async (types: readonly string[], limit: number): Promise<AuditRecord[]> => {
    if (types.length === 0) return []
    const params = { query: { type: types.slice(0, maxTypes), limit } }
    const [page, others] = await Promise.all([
      dataOf(api.GET('/api/admin/audit', { params, signal })),
      newest(types.slice(maxTypes), limit),
    ])
    return [...page.data, ...others]
  }
  const [changes, created] = await Promise.all([
    newest(inOverview, shownChanges),
    newest(inOverviewIfByAnother, 3 * shownChanges),
  ])
  const byOthers = created.filter(isByAnother)
  return [...changes, ...byOthers]
    .toSorted((one, other) => other.number - one.number)
    .slice(0, shownChanges)
}

/** Whether another than the new person has made the account. */
function isByAnother({ actor, target }: AuditRecord): boolean {
  return (
    actor.kind !== 'unknown' && actor.kind !== null && actor.subject !== String(target?.user_id)
  )
}

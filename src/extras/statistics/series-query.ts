import { refuseField } from '../../core/errors.ts'
import { parseFilters, time } from '../../core/http/lists/filters.ts'
import { type Query, single } from '../../core/http/lists/paging.ts'
import { hourMs } from './pending.ts'
import { bucketOf, type SeriesRange, type StepName, steps } from './series.ts'

const usualMs: Readonly<Record<StepName, number>> = { minute: 3 * hourMs, hour: 7 * 24 * hourMs }

/** What a query asks for: a range of whole buckets, and the names of series; null: all. */
export interface SeriesRequest extends SeriesRange {
  readonly names: ReadonlySet<string> | null
}

/**
 * Reads the query. A range is cut to what is kept, and so is never longer: 2,881 buckets of minutes, 2,161
 * of hours. @throws ApiError validationFailed
 */
export function readSeriesQuery(
  query: Query,
  now: number,
  known: readonly string[],
): SeriesRequest {
  const step = stepIn(query)
  const { keptMs, seconds } = steps[step]
  const asked = parseFilters(query, { from: time, to: time })
  if (asked.from !== undefined && asked.to !== undefined && asked.from > asked.to) {
    return refuseField(['to'], 'must not be before from')
  }
  const oldest = bucketOf(step, now - keptMs)
  const end = bucketOf(step, now) + seconds * 1000
  const to = asked.to === undefined ? end : clamp(endOf(step, asked.to), oldest, end)
  const from = clamp(bucketOf(step, asked.from ?? to - usualMs[step]), oldest, to)
  return { step, from, to, names: namesIn(query, known) }
}

/** The end of the bucket that a time lies in, or ends. */
function endOf(step: StepName, at: number): number {
  const bucket = bucketOf(step, at)
  return bucket === at ? at : bucket + steps[step].seconds * 1000
}

function clamp(value: number, min: number, max: number): number {
  return Math.min(Math.max(value, min), max)
}

function stepIn(query: Query): StepName {
  const text = single(query, 'step') ?? 'hour'
  if (text === 'minute' || text === 'hour') return text
  return refuseField(['step'], 'must be minute or hour')
}

function namesIn({ name }: Query, known: readonly string[]): ReadonlySet<string> | null {
  if (name === undefined) return null
  const texts: readonly unknown[] = Array.isArray(name) ? name : [name]
  const names = new Set(texts.flatMap((text) => String(text).split(',')))
  for (const wanted of names) {
    if (!known.includes(wanted)) {
      return refuseField(['name'], `must be names of series: ${known.join(', ')}`)
    }
  }
  return names
}

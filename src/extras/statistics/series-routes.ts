import { refuseField } from '../../core/errors.ts'
import { inTurn } from '../../core/http/lists/bulk-answers.ts'
import { parseFilters, time } from '../../core/http/lists/filters.ts'
import type { Query } from '../../core/http/lists/paging.ts'
import { single } from '../../core/http/lists/paging.ts'
import type { App } from '../../core/http/schemas.ts'
import { epochSeconds, isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { type Catalog, readSeriesKey, seriesKey } from './catalog.ts'
import { hourMs } from './pending.ts'
import type { SeriesRange, StepName } from './series.ts'
import { bucketOf, type SeriesValues, steps } from './series.ts'
import { seriesQuery, statisticsSeries } from './series-schemas.ts'

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
    return refuseField(['to'], { en: 'must not be before from', de: 'darf nicht vor from liegen' })
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
  return refuseField(['step'], { en: 'must be minute or hour', de: 'muss minute oder hour sein' })
}

function namesIn({ name }: Query, known: readonly string[]): ReadonlySet<string> | null {
  if (name === undefined) return null
  const texts: readonly unknown[] = Array.isArray(name) ? name : [name]
  const names = new Set(texts.flatMap((text) => String(text).split(',')))
  for (const wanted of names) {
    if (!known.includes(wanted)) {
      return refuseField(['name'], {
        en: `must be names of series: ${known.join(', ')}`,
        de: `müssen Namen von Reihen sein: ${known.join(', ')}`,
      })
    }
  }
  return names
}

/** GET /api/admin/statistics/series: what happened when, in columns for plots and tables. */
export async function routes(app: App, { clock, statisticSeries }: Needs): Promise<void> {
  app.refusalListeners.push(statisticSeries.takeRefusal)
  const catalog = await statisticSeries.catalog()
  const names = catalog.kinds.map(({ name }) => name)
  app.get(
    '/api/admin/statistics/series',
    {
      config: {
        access: { rule: role('ADMIN') },
        query: seriesQuery(names),
        errors: ['validationFailed'],
      },
      schema: {
        operationId: 'getStatisticsSeries',
        summary: 'What happened when: counts by minute or by hour',
        response: { 200: statisticsSeries(names) },
      },
    },
    async (request, reply) => {
      const query = request.query as Query // parsed by Fastify
      const { names: asked, ...range } = readSeriesQuery(query, clock.now(), names)
      const turn = inTurn(request, reply, { mayBeRefused: false })
      const { series, since } = await statisticSeries.read(range, turn)
      const { seconds } = steps[range.step]
      const length = (range.to - range.from) / (seconds * 1000)
      return {
        step_seconds: seconds,
        from: isoTime(range.from),
        to: isoTime(range.to),
        since: isoTimeOrNull(since),
        times: Array.from({ length }, (_, place) => epochSeconds(range.from) + place * seconds),
        series: withUsual(series, length, catalog).filter(
          ({ name }) => asked === null || asked.has(name),
        ),
      }
    },
  )
}

/** Adds the series that are always told, so that a plot of them does not come and go. */
function withUsual(
  found: readonly SeriesValues[],
  length: number,
  catalog: Catalog,
): SeriesValues[] {
  const there = new Set(
    found.map(({ labels, name }) => seriesKey([name, ...Object.values(labels)])),
  )
  const quiet = catalog.usual
    .filter((key) => !there.has(key))
    .flatMap((key) => {
      const known = readSeriesKey(catalog, key)
      return known ? [{ ...known, values: new Array<number>(length).fill(0) }] : []
    })
  return [...found, ...quiet]
}

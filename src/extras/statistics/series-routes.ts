import type { FastifyInstance } from 'fastify'
import { inTurn } from '../../core/http/lists/bulk-answers.ts'
import type { Query } from '../../core/http/lists/paging.ts'
import type { SchemaTypes } from '../../core/http/schemas.ts'
import { type Clock, epochSeconds, isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import { seriesCounters } from '../../core/measurements/series.ts'
import { role } from '../../core/policy/rules.ts'
import { readSeriesKey, seriesKey } from './catalog.ts'
import { type SeriesValues, type StatisticSeries, steps } from './series.ts'
import { readSeriesQuery } from './series-query.ts'
import { SeriesQuery, StatisticsSeries } from './series-schemas.ts'

/** GET /api/admin/statistics/series: what happened when, in columns for plots and tables. */
export interface SeriesRoutesOptions {
  readonly clock: Clock
  readonly statisticSeries: StatisticSeries
}

export async function seriesRoutes(
  instance: FastifyInstance,
  { clock, statisticSeries }: SeriesRoutesOptions,
): Promise<void> {
  instance.withTypeProvider<SchemaTypes>().get(
    '/api/admin/statistics/series',
    {
      config: {
        access: { rule: role('ADMIN') },
        query: SeriesQuery,
        errors: ['validationFailed'],
      },
      schema: {
        operationId: 'getStatisticsSeries',
        summary: 'What happened when: counts by minute or by hour',
        response: { 200: StatisticsSeries },
      },
    },
    async (request, reply) => {
      const { names, ...range } = readSeriesQuery(request.query as Query, clock.now()) // parsed by Fastify
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
        series: withUsual(series, length).filter(({ name }) => names === null || names.has(name)),
      }
    },
  )
}

const usual = seriesCounters()
  .entries()
  .map(({ values }) => seriesKey(values))

/** Adds the series that are always told, so that a plot of them does not come and go. */
function withUsual(found: readonly SeriesValues[], length: number): SeriesValues[] {
  const there = new Set(
    found.map(({ labels, name }) => seriesKey([name, ...Object.values(labels)])),
  )
  const quiet = usual
    .filter((key) => !there.has(key))
    .flatMap((key) => {
      const known = readSeriesKey(key)
      return known ? [{ ...known, values: new Array<number>(length).fill(0) }] : []
    })
  return [...found, ...quiet]
}

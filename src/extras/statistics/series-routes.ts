import { inTurn } from '../../core/http/lists/bulk-answers.ts'
import type { Query } from '../../core/http/lists/paging.ts'
import type { App } from '../../core/http/schemas.ts'
import { epochSeconds, isoTime, isoTimeOrNull } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { type Catalog, readSeriesKey, seriesKey } from './catalog.ts'
import { type SeriesValues, steps } from './series.ts'
import { readSeriesQuery } from './series-query.ts'
import { seriesQuery, statisticsSeries } from './series-schemas.ts'

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

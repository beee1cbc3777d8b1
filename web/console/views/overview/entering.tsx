import { Loaded } from '../../components/loaded.tsx'
import type { Load } from '../../use-load.ts'
import { totalOf } from './buckets.ts'
import { Figure, Figures } from './figures.tsx'
import type { Range } from './ranges.ts'
import type { ReadSeries, readStatistics } from './read.ts'
import { SeriesPlot } from './series-plot.tsx'
import { overviewTexts } from './texts.ts'

interface Props {
  readonly range: Range
  readonly series: ReadSeries | null
  readonly statistics: Load<Awaited<ReturnType<typeof readStatistics>>>
}

/** Who is getting in? Logins by result and method, the share of second factors, new accounts. */
export function Entering({ range, series, statistics }: Props) {
  const t = overviewTexts.use()
  const words = t.entering
  const labelText = (value: string) => t.labels[value] ?? value
  const logins = series && totalOf(series, 'logins', { result: 'success' })
  return (
    <section aria-labelledby="entering">
      <h2 id="entering">{words.title}</h2>
      <Loaded from={statistics}>
        {({ accounts, sessions }) => (
          <Figures>
            <Figure name={words.logins} value={logins} />
            <Figure name={words.secondFactor} value={series && secondFactorShare(series)} isShare />
            <Figure name={words.accounts} value={series && totalOf(series, 'accounts_created')} />
            <Figure name={words.sessions} value={sessions} />
            <Figure name={words.people} value={accounts.total} href="/admin/accounts" />
          </Figures>
        )}
      </Loaded>
      <div class="plots">
        <SeriesPlot
          title={words.byResult}
          {...{ range, series }}
          wanted={[{ name: 'logins', label: 'result', order: results, text: labelText }]}
        />
        <SeriesPlot
          title={words.byMethod}
          {...{ range, series }}
          wanted={[
            { name: 'logins', label: 'method', where: { result: 'success' }, text: labelText },
          ]}
        />
        <SeriesPlot
          title={words.newAccounts}
          {...{ range, series }}
          wanted={[{ name: 'accounts_created', label: 'way', text: labelText }]}
        />
        <SeriesPlot
          title={t.plot.requests}
          {...{ range, series }}
          wanted={[{ name: 'requests', label: 'status', order: statuses, text: labelText }]}
        />
      </div>
    </section>
  )
}

const statuses = ['2xx', '4xx', '3xx', '5xx']
const results = ['success', 'refused', 'throttled', 'incomplete', 'failed']

/** Of successful logins, from 0 to 1; null without any. */
function secondFactorShare(series: ReadSeries): number | null {
  const used = totalOf(series, 'second_factor', { used: 'yes' })
  const all = used + totalOf(series, 'second_factor', { used: 'no' })
  return all === 0 ? null : used / all
}

import type { Range } from './ranges.ts'
import type { ReadSeries } from './read.ts'
import { SeriesPlot } from './series-plot.tsx'
import { overviewTexts } from './texts.ts'

interface Props {
  readonly range: Range
  readonly series: ReadSeries | null
}

/** Who is getting in? Logins by result and method, new accounts, sessions. */
export function Entering({ range, series }: Props) {
  const t = overviewTexts.use()
  const words = t.entering
  const labelText = (value: string) => t.labels[value] ?? value
  return (
    <section aria-labelledby="entering">
      <h2 id="entering">{words.title}</h2>
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
          title={words.sessionsStarted}
          {...{ range, series }}
          wanted={[
            { name: 'sessions_started', label: '', text: () => labelText('sessions_started') },
          ]}
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

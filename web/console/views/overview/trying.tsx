import { useLanguage } from '../../../context.ts'
import { hasArea } from '../../areas.ts'
import { Loaded } from '../../components/loaded.tsx'
import { useLoad } from '../../use-load.ts'
import { throttleTexts } from '../throttle/texts.ts'
import { totalOf } from './buckets.ts'
import { Figure, Figures } from './figures.tsx'
import type { Range } from './ranges.ts'
import type { ReadSeries, Status } from './read.ts'
import { SeriesPlot } from './series-plot.tsx'
import { overviewTexts } from './texts.ts'

interface Props {
  readonly range: Range
  readonly series: ReadSeries | null
  readonly status: Status | null
}

const why = '/admin/why'

/** Who is trying to? What is throttled and locked out now, what grows unusually, and what was refused. */
export function Trying({ range, series, status }: Props) {
  const t = overviewTexts.use()
  const words = t.trying
  const labelText = (value: string) => t.labels[value] ?? value
  const language = useLanguage()
  // The tables come when the view stands, as plots do.
  const blocked = useLoad('', async () => {
    const [part] = await Promise.all([
      import('../throttle/blocked.tsx'),
      throttleTexts.load(language),
    ])
    return part.Blocked
  })
  const refused = series && totalOf(series, 'logins', { result: 'refused' })
  const throttled = status?.throttled ?? null
  return (
    <section aria-labelledby="trying">
      <h2 id="trying">{words.title}</h2>
      <Figures>
        <Figure name={words.refused} value={refused} />
        <Figure name={words.blockedAccounts} value={throttled?.accounts ?? null} />
        <Figure name={words.blockedAddresses} value={throttled?.addresses ?? null} />
        <Figure name={words.blockedLogins} value={throttled?.logins ?? null} />
      </Figures>
      {status && <Growth status={status} />}
      <h3>{words.blockedTitle}</h3>
      <Loaded from={blocked}>{(Blocked) => <Blocked texts={words} />}</Loaded>
      {hasArea(why) && (
        <p>
          <a href={why}>{words.why}</a>
        </p>
      )}
      <div class="plots">
        <SeriesPlot
          title={words.throttled}
          {...{ range, series }}
          wanted={[
            { name: 'throttled', label: 'limit', text: labelText },
            { name: 'account_lockouts', label: '', text: () => labelText('lockouts') },
          ]}
        />
        <SeriesPlot
          title={words.refusals}
          {...{ range, series }}
          wanted={[{ name: 'refusals', label: 'guard', text: (guard) => t.guards[guard] ?? guard }]}
        />
      </div>
    </section>
  )
}

/** What has happened more often than usual in the last hour. */
function Growth({ status: { unusual } }: { readonly status: Status }) {
  const t = overviewTexts.use()
  if (!unusual) return null
  if (unusual.length === 0) return <p class="muted">{t.trying.noUnusual}</p>
  return (
    <div class="notice warning">
      <h3>{t.trying.unusual}</h3>
      <ul>
        {unusual.map(({ count, labels, name, usual }) => {
          const key = [name, ...Object.values(labels)].join(' ')
          return <li key={key}>{t.trying.unusualLine(t.grown[key] ?? key, count, usual)}</li>
        })}
      </ul>
    </div>
  )
}

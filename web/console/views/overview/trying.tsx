import type { ComponentChildren } from 'preact'
import { hasArea } from '../../areas.ts'
import { DataTable } from '../../components/data-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { useLoad } from '../../use-load.ts'
import { useClear } from '../throttle/clear.ts'
import { accountColumns, keyOf, limitColumns } from '../throttle/columns.tsx'
import { throttleTexts } from '../throttle/texts.ts'
import { totalOf } from './buckets.ts'
import { Figure, Figures } from './figures.tsx'
import type { Range } from './ranges.ts'
import { type ReadSeries, readBlocked, type Status } from './read.ts'
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
      <Blocked />
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

const shown = 8
const everyMs = 20_000

/** The accounts and addresses that are refused now, with the button that clears them. */
function Blocked() {
  const t = overviewTexts.use()
  const columns = throttleTexts.use()
  const blocked = useLoad('', readBlocked, { everyMs })
  const clear = useClear(blocked.reload)
  const table = (one: ComponentChildren) => <div class="tile">{one}</div>
  return (
    <>
      <h3>{t.trying.blockedTitle}</h3>
      <Loaded from={blocked}>
        {({ accounts, limits }) => (
          <>
            {accounts.length + limits.length === 0 && (
              <p class="muted">{t.trying.nothingBlocked}</p>
            )}
            {accounts.length > 0 &&
              table(
                <DataTable
                  caption={columns.accounts}
                  columns={accountColumns(columns, clear)}
                  rows={accounts.slice(0, shown)}
                  keyOf={({ username }) => username}
                  empty={null}
                />,
              )}
            {limits.length > 0 &&
              table(
                <DataTable
                  caption={columns.counts}
                  columns={limitColumns(columns, clear)}
                  rows={limits.slice(0, shown)}
                  keyOf={keyOf}
                  empty={null}
                />,
              )}
            <p>
              <a href="/admin/throttle">{t.trying.all}</a>
            </p>
          </>
        )}
      </Loaded>
    </>
  )
}

import { useLanguage } from '../../../context.ts'
import { Loaded } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { readerLocale } from '../../reader-locale.ts'
import type { Load } from '../../use-load.ts'
import { type Buckets, totalOf } from './buckets.ts'
import { Figure, Figures, useFigureText } from './figures.tsx'
import type { readStatistics } from './read.ts'
import { overviewTexts } from './texts.ts'
import { failedLogins, secondFactorShare, type Today } from './today.ts'

interface Props {
  readonly today: Load<Today>
  readonly statistics: Load<Awaited<ReturnType<typeof readStatistics>>>
}

/** The numbers of today, each with the number of the same day of last week. */
export function TodaysFigures({ today: load, statistics }: Props) {
  const { entering: words } = overviewTexts.use()
  const today = load.data
  return (
    <section aria-labelledby="today">
      <h2 id="today">{words.today}</h2>
      <Loaded from={load}>{(read) => <Meaning today={read} />}</Loaded>
      <Loaded from={statistics}>
        {({ accounts, sessions }) => (
          <Figures>
            <Counted
              {...{ today, name: words.logins }}
              count={(buckets) => totalOf(buckets, 'logins', { result: 'success' })}
            />
            <Counted {...{ today, name: words.failed }} count={failedLogins} />
            <Counted {...{ today, name: words.secondFactor }} count={secondFactorShare} isShare />
            <Counted
              {...{ today, name: words.accounts }}
              count={(buckets) => totalOf(buckets, 'accounts_created')}
            />
            <Counted
              {...{ today, name: words.sessionsStarted }}
              count={(buckets) => totalOf(buckets, 'sessions_started')}
            />
            <Figure name={words.sessions} value={sessions} hint={words.now} />
            <Figure
              name={words.people}
              value={accounts.total}
              hint={words.now}
              href="/admin/accounts"
            />
          </Figures>
        )}
      </Loaded>
    </section>
  )
}

/** Which times are compared, or why none are. */
function Meaning({ today }: { readonly today: Today }) {
  const { entering: words } = overviewTexts.use()
  const locale = readerLocale(useLanguage())
  const { compared, isWeekKnown, since, today: span, weekAgo } = today
  const format = (options: Intl.DateTimeFormatOptions, seconds: number) =>
    new Intl.DateTimeFormat(locale, options).format(seconds * 1000)
  const clock = (seconds: number) => format({ hour: '2-digit', minute: '2-digit' }, seconds)
  const day = format({ weekday: 'long', day: 'numeric', month: 'long' }, weekAgo.from)
  return (
    <p class="muted">
      {words.todayIs(clock(span.from))}{' '}
      {since === null ? (
        words.nothingCounted
      ) : !isWeekKnown ? (
        <>
          {words.weekUnknown} <Time at={since} />.
        </>
      ) : compared === null ? (
        words.noFullHour
      ) : (
        words.compared(clock(compared.to), day)
      )}
    </p>
  )
}

interface CountedProps {
  readonly today: Today | null
  readonly name: string
  readonly count: (buckets: Buckets) => number | null
  readonly isShare?: boolean
}

function Counted({ today, name, count, isShare = false }: CountedProps) {
  const { entering: words } = overviewTexts.use()
  const textOf = useFigureText(isShare)
  const counts = today?.of(count)
  const isCompared = today?.isWeekKnown && today.compared !== null
  const hint =
    counts && isCompared
      ? words.untilHour(textOf(counts.untilHour), textOf(counts.weekAgo))
      : undefined
  return <Figure name={name} value={counts?.today ?? null} isShare={isShare} hint={hint} />
}

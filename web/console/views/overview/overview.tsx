import { useEffect } from 'preact/hooks'
import { useCommon, useLanguage } from '../../../context.ts'
import { AccountLink } from '../../components/account-link.tsx'
import type { Column } from '../../components/data-table.tsx'
import { DataTable } from '../../components/data-table.tsx'
import { Loaded, LoadFailed } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { useLoad } from '../../use-load.ts'
import { Checklist } from './checklist.tsx'
import { Entering } from './entering.tsx'
import { healthOf, verdictOf } from './health.ts'
import { healthParts, loadedParts } from './parts.ts'
import { RangePicker, useRange } from './range-picker.tsx'
import type { AuditRecord } from './read.ts'
import { readChanges, readSeries, readStatistics, readStatus, readToday } from './read.ts'
import type { OverviewTexts } from './texts.ts'
import { overviewTexts } from './texts.ts'
import { TodaysFigures } from './todays-figures.tsx'
import { Trying } from './trying.tsx'
import { useSteps } from './use-steps.ts'
import { Verdict } from './verdict.tsx'
import { Works } from './works.tsx'

const statusEveryMs = 10_000
const statisticsEveryMs = 60_000

/** The first view: does it work, who is getting in, who is trying to, what changed; without a click. */
export function Overview() {
  const t = overviewTexts.use()
  const { inWords } = useCommon()
  const language = useLanguage()
  const { name, range, sawSince } = useRange()
  const status = useLoad('', readStatus, { everyMs: statusEveryMs })
  // The parts are always the same, so that each keeps its place among the hooks.
  const others = loadedParts.map((part) => ({ part, load: useLoad('', part.read) }))
  const statistics = useLoad('', readStatistics, { everyMs: statisticsEveryMs })
  const today = useLoad('', readToday, { everyMs: statisticsEveryMs })
  const series = useLoad(name, (signal) => readSeries(range, signal), {
    everyMs: range.readEvery * 1000,
  })
  const steps = useSteps(status.data)
  const since = series.data?.since
  useEffect(() => sawSince(since), [since])
  const readAll = () => {
    const loads = [status, statistics, today, series, ...others.map(({ load }) => load)]
    for (const one of loads) one.reload()
  }
  useReturn(() => {
    status.reload()
    today.reload()
    series.reload()
  })
  const telling = { texts: t, language, inWords, parts: healthParts }
  const works = status.data ? healthOf(status.data, telling) : []
  const rows = others.map(({ part, load }) => ({
    ...{ load, Details: part.Details },
    health: part.judge(load.data, language),
  }))
  const health = [...works, ...rows.map((row) => row.health)]
  // What is broken is read first, before the numbers.
  const isBroken = status.problem !== null || verdictOf(health).level === 'bad'
  const verdict = <Verdict health={health} status={status} steps={steps.states} />
  return (
    <>
      <div class="heading">
        <h1>{t.title}</h1>
        <div class="actions">
          {status.data && (
            <span class="muted">
              {t.asOf} <Time at={status.data.at} />
            </span>
          )}
          <button type="button" class="quiet small" onClick={readAll}>
            {t.reload}
          </button>
        </div>
      </div>
      {isBroken && verdict}
      <TodaysFigures today={today} statistics={statistics} />
      <RangePicker name={name} since={series.data?.since ?? null} lost={series.data?.lost ?? 0} />
      {series.problem !== null && <LoadFailed problem={series.problem} retry={series.reload} />}
      <Entering range={range} series={series.data} />
      {!isBroken && verdict}
      <Checklist steps={steps} />
      <Works health={works} others={rows} jobs={status.data?.jobs ?? []} />
      <Trying range={range} series={series.data} status={status.data} />
      <Changes />
    </>
  )
}

/** Calls back when the person comes back to the page. */
function useReturn(callback: () => void): void {
  useEffect(() => {
    const changed = () => document.visibilityState === 'visible' && callback()
    document.addEventListener('visibilitychange', changed)
    return () => document.removeEventListener('visibilitychange', changed)
  }, [])
}

/** What changed? The last administrative events. Each reading is in the audit log: none goes by itself. */
export function Changes() {
  const t = overviewTexts.use()
  const changes = useLoad('', readChanges)
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">{t.changes.title}</h2>
      <Loaded from={changes}>
        {(records) => (
          <DataTable
            caption={t.changes.caption}
            columns={columnsOf(t)}
            rows={records}
            keyOf={({ id }) => id}
            empty={t.changes.empty}
          />
        )}
      </Loaded>
      <p>
        <a href="/admin/audit">{t.changes.all}</a>
      </p>
    </section>
  )
}

function columnsOf(t: OverviewTexts): Column<AuditRecord>[] {
  const { columns, kinds } = t.changes
  return [
    { key: 'what', label: columns.what, show: ({ type }) => t.events[type] ?? type },
    { key: 'at', label: columns.at, show: ({ at }) => <Time at={at} /> },
    {
      key: 'by',
      label: columns.by,
      show: ({ actor, type }) => {
        if (actor.username) return <AccountLink name={actor.username} />
        return type.startsWith('sys_')
          ? t.changes.service
          : (kinds[actor.kind ?? ''] ?? actor.subject)
      },
    },
    {
      key: 'whom',
      label: columns.whom,
      show: ({ target }) => target?.username && <AccountLink name={target.username} />,
    },
    { key: 'address', label: columns.address, show: ({ address }) => address },
  ]
}

import { useEffect } from 'preact/hooks'
import { LoadFailed } from '../../components/loaded.tsx'
import { Time } from '../../components/time.tsx'
import { useLoad } from '../../use-load.ts'
import { Changes } from './changes.tsx'
import { Checklist } from './checklist.tsx'
import { Entering } from './entering.tsx'
import { doctorHealth, healthOf } from './health.ts'
import { RangePicker, useRange } from './range-picker.tsx'
import { readDoctor, readSeries, readStatistics, readStatus } from './read.ts'
import { overviewTexts } from './texts.ts'
import { Trying } from './trying.tsx'
import { Verdict } from './verdict.tsx'
import { Works } from './works.tsx'

const statusEveryMs = 10_000
const statisticsEveryMs = 60_000

/** The first view: does it work, who is getting in, who is trying to, what changed; without a click. */
export function Overview() {
  const t = overviewTexts.use()
  const { name, range, sawSince } = useRange()
  const status = useLoad('', readStatus, { everyMs: statusEveryMs })
  const doctor = useLoad('', readDoctor)
  const statistics = useLoad('', readStatistics, { everyMs: statisticsEveryMs })
  const series = useLoad(name, (signal) => readSeries(range, signal), {
    everyMs: range.readEvery * 1000,
  })
  const since = series.data?.since
  useEffect(() => sawSince(since), [since])
  const readAll = () => {
    for (const one of [status, doctor, statistics, series]) one.reload()
  }
  useReturn(() => {
    status.reload()
    series.reload()
  })
  const works = status.data ? healthOf(status.data, t) : []
  const ofDoctor = doctorHealth(doctor.data, t)
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
      <Verdict health={[...works, ofDoctor]} status={status} />
      <Checklist status={status.data} />
      <Works health={works} doctor={doctor} ofDoctor={ofDoctor} jobs={status.data?.jobs ?? []} />
      <RangePicker name={name} since={series.data?.since ?? null} lost={series.data?.lost ?? 0} />
      {series.problem !== null && <LoadFailed problem={series.problem} retry={series.reload} />}
      <Entering range={range} series={series.data} statistics={statistics} />
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

import type { Database } from '../../core/database/database.ts'
import type { Module } from '../../core/module/module.ts'
import { type Catalog, loadCatalog, readSeriesKey } from './catalog.ts'
import { type Collector, type CollectorDeps, createCollector } from './collector.ts'
import { floor, hourMs, minuteMs } from './pending.ts'
import { seriesStore } from './series-store.ts'
import { type Unusual, unusualIn } from './unusual.ts'

/** How long the buckets of a step are kept. */
export const steps = {
  minute: { seconds: 60, keptMs: 48 * hourMs },
  hour: { seconds: 3600, keptMs: 90 * 24 * hourMs },
} as const
export type StepName = keyof typeof steps

/** Counts of a series, one for each bucket of a range. */
export interface SeriesValues {
  readonly name: string
  readonly labels: Record<string, string>
  readonly values: number[]
}

export interface SeriesRange {
  readonly step: StepName
  /** The beginning of the first bucket, and the end of the last one, in epoch milliseconds. */
  readonly from: number
  readonly to: number
}

export interface SeriesReading {
  readonly series: SeriesValues[]
  /** The beginning of the first bucket that there is, in epoch milliseconds; null: there is none. */
  readonly since: number | null
}

/** Makes a part of a long reading when its turn comes. */
type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Time series of what happens, in buckets in the database. A process counts in memory, where it counts
 * for the metrics anyway. A job looks once a second how far the counts have come, and adds the differences
 * to the rows of the minute and the hour every ten seconds; so does each process of each node.
 * No request waits for that. docs/adr/0071
 */
export interface StatisticSeries extends Pick<Collector, 'flush' | 'run' | 'takeRefusal'> {
  /**
   * The series of a range in which something was counted, also what processes of this machine have not
   * stored yet.
   */
  read(range: SeriesRange, inTurn?: InTurn): Promise<SeriesReading>
  catalog(): Promise<Catalog>
  /** What has happened in the last hour far more often than usual at this time of the day. */
  unusual(): Promise<Unusual[]>
  /** Deletes up to `batchSize` counts that are no longer kept; answers how many. */
  purge(batchSize: number): Promise<number>
}

export interface StatisticSeriesDeps extends Omit<CollectorDeps, 'catalog'> {
  readonly db: Database
  readonly modules: readonly Module[]
}

/** So many buckets are read at once; the event loop serves others between them. */
const bucketsPerPart = 360

export function createStatisticSeries(deps: StatisticSeriesDeps): StatisticSeries {
  const { asyncCommitDb, clock, db, modules } = deps
  let loading: Promise<Catalog> | undefined
  const catalog = () => {
    loading ??= loadCatalog(modules)
    return loading
  }
  const collector = createCollector({ ...deps, catalog })

  return {
    ...collector,
    catalog,

    async read(range, inTurn = (work) => work()) {
      const { from, step, to } = range
      const { seconds } = steps[step]
      const partMs = bucketsPerPart * seconds * 1000
      const columns = columnsOf(range)
      const unwritten = await collector.unwritten()
      for (const { at, count, series } of unwritten) {
        columns.add(bucketOf(step, at), series, count)
      }
      for (let part = from; part < to; part += partMs) {
        const until = Math.min(to, part + partMs)
        const rows = await inTurn(() => seriesStore(db).between(seconds, part, until))
        for (const { at, count, series } of rows) columns.add(at, series, count)
      }
      const first = (await seriesStore(db).firstAt(seconds)) ?? Number.POSITIVE_INFINITY
      const since = Math.min(first, ...unwritten.map(({ at }) => bucketOf(step, at)))
      return { series: columns.all(await catalog()), since: Number.isFinite(since) ? since : null }
    },

    async unusual() {
      return unusualIn(seriesStore(db), {
        catalog: await catalog(),
        unwritten: await collector.unwritten(),
        now: clock.now(),
      })
    },

    async purge(batchSize) {
      let deleted = 0
      for (const { keptMs, seconds } of Object.values(steps)) {
        const until = clock.now() - keptMs - seconds * 1000
        deleted += await seriesStore(asyncCommitDb).purge(seconds, until, batchSize - deleted)
        if (deleted >= batchSize) break
      }
      return deleted
    },
  }
}

/** Gathers counts into one list for each series. */
function columnsOf({ from, step, to }: SeriesRange) {
  const stepMs = steps[step].seconds * 1000
  const length = (to - from) / stepMs
  const found = new Map<string, number[]>()
  return {
    add(at: number, series: string, count: number): void {
      const place = (at - from) / stepMs
      if (place < 0 || place >= length) return
      const values = found.get(series) ?? new Array<number>(length).fill(0)
      values[place] = (values[place] ?? 0) + count
      found.set(series, values)
    },

    all(catalog: Catalog): SeriesValues[] {
      const inOrder = [...found].sort(([one], [other]) => (one < other ? -1 : 1))
      return inOrder.flatMap(([key, values]) => {
        const known = readSeriesKey(catalog, key)
        return known ? [{ ...known, values }] : []
      })
    },
  }
}

/** The beginning of the bucket that a time is in. */
export function bucketOf(step: StepName, at: number): number {
  return floor(at, step === 'minute' ? minuteMs : hourMs)
}

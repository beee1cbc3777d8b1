import { type Catalog, readSeriesKey } from './catalog.ts'
import { type Counts, floor, hourMs, minuteMs } from './pending.ts'
import type { seriesStore } from './series-store.ts'

/** A series that has grown more than it usually does. */
export interface Unusual {
  readonly name: string
  readonly labels: Record<string, string>
  /** In the last 60 minutes. */
  readonly count: number
  /** The median of the same hour of the days before. */
  readonly usual: number
  /** How many days were compared. */
  readonly days: number
}

interface Compared {
  readonly catalog: Catalog
  readonly unwritten: readonly Counts[]
  readonly now: number
}

const maxDays = 14
/** Fewer days say nothing of what is usual. */
const minDays = 3
/** Fewer of anything are not worth a look. */
const floorCount = 20
const factor = 3

/**
 * Compares the last 60 minutes with the same hour of the last days: more than three times their median,
 * and at least 20. Nothing is compared until there have been three days.
 */
export async function unusualIn(
  store: Pick<ReturnType<typeof seriesStore>, 'between' | 'firstAt'>,
  { catalog, now, unwritten }: Compared,
): Promise<Unusual[]> {
  const first = await store.firstAt(hourMs / 1000)
  const hour = floor(now, hourMs)
  const hours = Array.from({ length: maxDays }, (_, day) => hour - (day + 1) * 24 * hourMs).filter(
    (at) => first !== null && at >= first,
  )
  if (hours.length < minDays) return []
  const latest = new Map<string, number>()
  const until = floor(now, minuteMs) + minuteMs
  const from = until - hourMs
  const stored = await store.between(minuteMs / 1000, from, until)
  for (const { at, count, series } of [...unwritten, ...stored]) {
    if (at >= from && at < until) latest.set(series, (latest.get(series) ?? 0) + count)
  }
  const grown = catalog.watched.filter((series) => (latest.get(series) ?? 0) >= floorCount)
  if (grown.length === 0) return []
  const before = new Map<string, number[]>()
  for (const at of hours) {
    for (const { count, series } of await store.between(hourMs / 1000, at, at + hourMs)) {
      before.set(series, [...(before.get(series) ?? []), count])
    }
  }
  return grown.flatMap((series) => {
    const known = readSeriesKey(catalog, series)
    const count = latest.get(series) ?? 0
    const usual = median(before.get(series) ?? [], hours.length)
    return known && count > factor * usual ? [{ ...known, count, usual, days: hours.length }] : []
  })
}

/** The median of so many counts, of which those that are not given are 0. */
function median(counts: readonly number[], length: number): number {
  const all = [...counts, ...new Array<number>(length - counts.length).fill(0)].sort(
    (one, other) => one - other,
  )
  const middle = Math.floor(length / 2)
  const upper = all[middle] ?? 0
  return length % 2 === 1 ? upper : ((all[middle - 1] ?? 0) + upper) / 2
}

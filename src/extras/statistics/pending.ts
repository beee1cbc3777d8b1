import { seriesKey } from './catalog.ts'
import type { Bucket } from './series-store.ts'

export const minuteMs = 60_000
export const hourMs = 3_600_000

/** How often something happened in the minute that begins at `at`, in epoch milliseconds. */
export type Counts = Omit<Bucket, 'step'>

/** Counts that are not stored yet. */
export interface Pending {
  /** Adds a count at any time of a minute. */
  add(counts: Counts): void
  /** All counts by minute, those that are being stored included. */
  all(): Counts[]
  /** Takes all, in minutes and in hours, to be stored. Nothing else is taken before that has ended. */
  take(): Taken
}

export interface Taken {
  readonly buckets: readonly Bucket[]
  /** Forgets what was taken. */
  stored(): void
  /** Adds what was taken to the counts again. */
  putBack(): void
}

/**
 * About a day of a busy service: while the database is away no longer than that, nothing is lost.
 */
const maxCounts = 50_000
const lostCounts = seriesKey(['lost_counts'])

/**
 * Keeps at most `max` counts. Beyond that, the oldest minute gives way: how much it held is counted as
 * lost, at the beginning of its hour, so that an answer can say that something is missing.
 */
export function createPending(max = maxCounts): Pending {
  const minutes = new Map<number, Map<string, number>>()
  const lost = new Map<number, number>()
  let size = 0
  let beingStored: readonly Counts[] = []

  function add({ at, count, series }: Counts): void {
    if (series === lostCounts) {
      lost.set(floor(at, hourMs), (lost.get(floor(at, hourMs)) ?? 0) + count)
      return
    }
    const minute = floor(at, minuteMs)
    const counts = minutes.get(minute) ?? new Map<string, number>()
    minutes.set(minute, counts)
    if (!counts.has(series)) size += 1
    counts.set(series, (counts.get(series) ?? 0) + count)
    while (size > max) dropOldest()
  }

  function dropOldest(): void {
    const at = Math.min(...minutes.keys())
    const counts = minutes.get(at)
    minutes.delete(at)
    size -= counts?.size ?? 0
    for (const count of counts?.values() ?? []) add({ at, series: lostCounts, count })
  }

  function waiting(): Counts[] {
    const counts = [...minutes].flatMap(([at, ofMinute]) =>
      [...ofMinute].map(([series, count]) => ({ at, series, count })),
    )
    return [...counts, ...[...lost].map(([at, count]) => ({ at, series: lostCounts, count }))]
  }

  return {
    add,

    all: () => [...beingStored, ...waiting()],

    take() {
      const counts = waiting()
      minutes.clear()
      lost.clear()
      size = 0
      beingStored = counts
      return {
        buckets: [...inMinutes(counts), ...inHours(counts)],
        stored() {
          beingStored = []
        },
        putBack() {
          beingStored = []
          for (const one of counts) add(one)
        },
      }
    },
  }
}

function inMinutes(counts: readonly Counts[]): Bucket[] {
  return counts.map((one) => ({ ...one, step: minuteMs / 1000 }))
}

function inHours(counts: readonly Counts[]): Bucket[] {
  const sums = new Map<string, Bucket>()
  for (const { at, count, series } of counts) {
    const hour = floor(at, hourMs)
    const before = sums.get(`${hour} ${series}`)?.count ?? 0
    const sum = { step: hourMs / 1000, at: hour, series, count: before + count }
    sums.set(`${hour} ${series}`, sum)
  }
  return [...sums.values()]
}

export function floor(at: number, stepMs: number): number {
  return Math.floor(at / stepMs) * stepMs
}

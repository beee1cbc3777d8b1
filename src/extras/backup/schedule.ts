import type { RunRow } from './run-store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const waitsMs = [1, 5, 15, 30, 60].map((minutes) => minutes * minuteMs)

/** What decides when a backup is due. */
export interface BackupHistory {
  readonly lastGood: Pick<RunRow, 'started_at'> | null
  /** Those that failed since then, the newest first. */
  readonly failed: readonly Pick<RunRow, 'finished_at'>[]
}

/**
 * When the next backup is due: at once if there is none, so many hours after the beginning of the last
 * one, and after a failure not before a while, which grows to an hour.
 */
export function dueAt(
  { lastGood, failed }: BackupHistory,
  now: number,
  everyHours: number,
): number {
  // After a clock was set back, a backup of the future must not put off the next one.
  const began = lastGood && lastGood.started_at <= now ? lastGood.started_at : null
  const regular = began === null ? now : began + everyHours * hourMs
  return Math.max(regular, retryAt(failed, now))
}

function retryAt(failed: BackupHistory['failed'], now: number): number {
  const [last] = failed
  if (!last) return 0
  const wait = waitsMs[Math.min(failed.length, waitsMs.length) - 1] ?? 0
  return Math.min(last.finished_at ?? now, now) + wait
}

/** How old the newest backup may be until it is late: half a period more than it should be, an hour at least. */
export function lateAfterMs(everyHours: number): number {
  return everyHours * hourMs + Math.max(hourMs, (everyHours * hourMs) / 2)
}

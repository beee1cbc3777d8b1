import type { RunRow } from './run-store.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const waitsMs = [1, 5, 15, 30, 60].map((minutes) => minutes * minuteMs)

export interface BackupHistory {
  readonly lastGood: Pick<RunRow, 'started_at'> | null
  /** Since then, newest first. */
  readonly failed: readonly Pick<RunRow, 'finished_at'>[]
}

/**
 * At once if there is none, else hours after the last start; after a failure with backoff up to an
 * hour.
 */
export function dueAt(
  { lastGood, failed }: BackupHistory,
  now: number,
  everyHours: number,
): number {
  // After a clock was set back, a future backup must not delay the next.
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

/** Half a period of tolerance, at least an hour. */
export function lateAfterMs(everyHours: number): number {
  return everyHours * hourMs + Math.max(hourMs, (everyHours * hourMs) / 2)
}

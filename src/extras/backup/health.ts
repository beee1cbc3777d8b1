import type { RunRow } from './run-store.ts'
import { lateAfterMs } from './schedule.ts'

/** Of automatic backups. */
export interface BackupHealth {
  /** Snapshot time of the newest backup, epoch milliseconds; null: no backup. */
  readonly lastAt: number | null
  /** Null: no backup. */
  readonly ageSeconds: number | null
  readonly everySeconds: number
  /** Since the newest backup. */
  readonly failures: number
  /** Of the last failure. */
  readonly detail: string | null
  readonly warning: 'backup_failed' | 'backup_late' | null
}

/** @param now epoch milliseconds */
export function healthOf(
  record: { readonly lastGood: RunRow | null; readonly failed: readonly RunRow[] },
  now: number,
  everyHours: number,
): BackupHealth {
  const { lastGood, failed } = record
  const ageMs = lastGood && Math.max(0, now - lastGood.started_at)
  const isLate = ageMs !== null && ageMs > lateAfterMs(everyHours)
  return {
    lastAt: lastGood?.started_at ?? null,
    ageSeconds: ageMs === null ? null : ageMs / 1000,
    everySeconds: everyHours * 3600,
    failures: failed.length,
    detail: failed[0]?.detail ?? null,
    warning: failed.length > 0 ? 'backup_failed' : isLate ? 'backup_late' : null,
  }
}

import type { RunRow } from './run-store.ts'
import { lateAfterMs } from './schedule.ts'

/** The state of the backups that the service makes by itself. */
export interface BackupHealth {
  /** When the state began that the newest backup holds; null: there is none. Epoch milliseconds. */
  readonly lastAt: number | null
  /** Null: there is none. */
  readonly ageSeconds: number | null
  readonly everySeconds: number
  /** How many attempts have failed since the newest backup. */
  readonly failures: number
  /** Why the last attempt failed. */
  readonly detail: string | null
  /** What an operator should know; null if all is well. */
  readonly warning: 'backup_failed' | 'backup_late' | null
}

/** Judges the runs at a time, in epoch milliseconds. */
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

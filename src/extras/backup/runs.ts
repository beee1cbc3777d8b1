import { databaseTime } from '../../core/database/database-time.ts'
import type { Guard } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Runs } from '../../core/runs/runs.ts'
import type { BackupsDeps } from './make-runs.ts'
import { type RunRow, runStore } from './run-store.ts'
import { lateAfterMs } from './schedule.ts'

/** Automatic backups. docs/adr/0067 */
export interface Backups {
  readonly isOn: boolean
  /** Runs a due or requested backup, unless another node does. */
  run(stop?: AbortSignal): Promise<void>
  /** A node's job makes the backup. Returns the waiting or running run. */
  request(guard?: Guard): Promise<RunRow>
  count(): Promise<number>
  /** Newest first. */
  page(offset: number, limit: number): Promise<RunRow[]>
  /** Null without BACKUP_DIR. */
  health(): Promise<BackupHealth | null>
  purge(batchSize: number): Promise<number>
}

const keptMs = 90 * 86_400_000

export function createBackups(deps: BackupsDeps): Backups {
  const { clock, config, db } = deps
  const { directory, everyHours } = config.backups
  let runs: Promise<Runs<RunRow>> | undefined
  const load = (folder: string) => {
    runs ??= import('./make-runs.ts').then(({ createBackupRuns }) => createBackupRuns(deps, folder))
    return runs
  }

  return {
    isOn: directory !== undefined,

    async run(stop) {
      if (directory !== undefined) await (await load(directory)).run(stop)
    },

    async request(guard) {
      if (directory === undefined) {
        throw new ApiError('routeNotFound', { reason: { code: 'backups_off' } })
      }
      return (await load(directory)).request(guard)
    },

    count: () => runStore(db).count(),
    page: (offset, limit) => runStore(db).page(offset, limit),

    async health() {
      if (directory === undefined) return null
      return healthOf(await runStore(db).record(), await databaseTime(db, clock), everyHours)
    },

    purge: async (batchSize) => runStore(db).purge(clock.now() - keptMs, batchSize),
  }
}

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

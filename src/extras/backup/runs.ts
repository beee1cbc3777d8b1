import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { databaseTime } from '../../core/database/database-time.ts'
import type { Guard } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Runs } from '../../core/runs/runs.ts'
import type { BackupsDeps } from './make-runs.ts'
import { backupUnderWay } from './problems.ts'
import { type RunRow, runStore } from './run-store.ts'
import { lateAfterMs } from './schedule.ts'

/** Automatic backups. docs/adr/0067 */
export interface Backups {
  readonly isOn: boolean
  /** Runs a due or requested backup, unless another node does. */
  run(stop?: AbortSignal): Promise<void>
  /** A node's job makes the backup. Returns the waiting or running run. */
  request(guard?: Guard): Promise<RunRow>
  /**
   * Makes a backup at this node without BACKUP_DIR, in DATA_DIR/backups. The passphrase is nowhere
   * stored; null: without keys and encryption. @throws ApiError backupUnderWay
   */
  makeOnce(passphrase: string | null, guard?: Guard): Promise<RunRow>
  /** Ends what `makeOnce` has begun. */
  stop(): Promise<void>
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
    const { keep, passphrase } = config.backups
    const making = { directory: folder, keep, passphrase: passphrase?.reveal() ?? null }
    runs ??= import('./make-runs.ts').then(({ createBackupRuns }) => createBackupRuns(deps, making))
    return runs
  }
  const stopping = new AbortController()
  let once: Promise<void> = Promise.resolve()

  return {
    isOn: directory !== undefined,

    async run(stop) {
      if (directory !== undefined) await (await load(directory)).run(stop)
    },

    async request(guard) {
      if (directory === undefined) throw new Error('without BACKUP_DIR there is no folder')
      return (await load(directory)).request(guard)
    },

    async makeOnce(passphrase, guard) {
      const folder = join(config.database.dataDirectory, 'backups')
      const { createBackupRuns } = await import('./make-runs.ts')
      const own = createBackupRuns(deps, { directory: folder, keep: null, passphrase })
      const run = await own.begin(guard)
      if (!run) throw new ApiError(backupUnderWay, { reason: { code: 'backup_under_way' } })
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => {}) // the run says why
      once = own.make(run, stopping.signal).catch((error: unknown) => {
        deps.log.error({ err: error }, 'a backup could not be recorded')
      })
      return run
    },

    stop() {
      stopping.abort()
      return once
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

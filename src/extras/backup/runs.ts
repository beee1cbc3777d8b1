import { databaseTime } from '../../core/database/database-time.ts'
import type { Guard } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import type { Runs } from '../../core/runs/runs.ts'
import { type BackupHealth, healthOf } from './health.ts'
import type { BackupsDeps } from './make-runs.ts'
import { type RunRow, runStore } from './run-store.ts'

/** The backups that the service makes automatically. docs/adr/0067 */
export interface Backups {
  /** Whether BACKUP_DIR is set. */
  readonly isOn: boolean
  /** Makes a backup if one is due or requested, and no other node makes it. */
  run(stop?: AbortSignal): Promise<void>
  /** Has a backup made now by the job of a node. Returns the run that waits or is under way already. */
  request(guard?: Guard): Promise<RunRow>
  count(): Promise<number>
  /** The newest first. */
  page(offset: number, limit: number): Promise<RunRow[]>
  /** Null if BACKUP_DIR is not set. */
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

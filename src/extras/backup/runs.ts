import { hostname } from 'node:os'
import { type Guard, lockName, transact } from '../../core/database/transactions.ts'
import { ApiError } from '../../core/errors.ts'
import { backupRequested } from './events.ts'
import { type BackupHealth, healthOf } from './health.ts'
import type { BackupsDeps } from './make-runs.ts'
import { type RunRow, runStore } from './run-store.ts'

/** The backups that the service makes by itself. docs/adr/0067 */
export interface Backups {
  /** Whether BACKUP_DIR is set. */
  readonly isOn: boolean
  /** Makes a backup if one is due or asked for, and no other node makes it. */
  run(stop?: AbortSignal): Promise<void>
  /** Has one made now; the job of a node takes it up. Answers the one that waits or is made already. */
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
  const { clock, config, db, events } = deps
  const { directory, everyHours } = config.backups
  let maker: Promise<(directory: string, stop: AbortSignal) => Promise<void>> | undefined

  return {
    isOn: directory !== undefined,

    async run(stop = new AbortController().signal) {
      if (directory === undefined) return
      maker ??= import('./make-runs.ts').then(({ createRunMaker }) => createRunMaker(deps))
      await (await maker)(directory, stop)
    },

    request(guard) {
      if (directory === undefined) {
        throw new ApiError('routeNotFound', { reason: { code: 'backups_off' } })
      }
      return transact(
        db,
        [lockName.backups],
        async (trx) => {
          const store = runStore(trx)
          const at = await store.now(clock)
          const running = (await store.inState('running')).find((run) => run.locked_until > at)
          const known = running ?? (await store.inState('waiting'))[0]
          const waiting = { started_at: at, node: hostname(), locked_until: 0, file: null }
          const run = known ?? (await store.insert({ ...waiting, state: 'waiting' }))
          await events.emitInTransaction(trx, backupRequested, { run: run.id })
          return run
        },
        guard,
      )
    },

    count: () => runStore(db).count(),
    page: (offset, limit) => runStore(db).page(offset, limit),

    async health() {
      if (directory === undefined) return null
      return healthOf(await runStore(db).record(), await runStore(db).now(clock), everyHours)
    },

    purge: async (batchSize) => runStore(db).purge(clock.now() - keptMs, batchSize),
  }
}

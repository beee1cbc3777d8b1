import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../config/load.ts'
import type { Database, DatabaseOrTransaction } from '../database/database.ts'
import { type Guard, lockName, transact } from '../database/transactions.ts'
import type { Events } from '../events/events.ts'
import type { Clock } from '../kernel/clock.ts'
import { ApiError } from '../kernel/errors.ts'
import type { Random } from '../kernel/random.ts'
import type { MasterKeyConfig } from '../keys/master-key.ts'
import type { RoomNames } from '../room/room.ts'
import { backupFailed, backupMade, backupRemoved, backupRequested, ofMachine } from './events.ts'
import {
  assertRoom,
  backupName,
  bytesOf,
  folderProblem,
  openFolder,
  partialsIn,
  removeBackup,
  removePartial,
} from './folder.ts'
import { type BackupHealth, healthOf } from './health.ts'
import type { ReadBack } from './read-back.ts'
import { type RunRow, runStore } from './run-store.ts'
import { dueAt } from './schedule.ts'
import { tablesOf } from './tables.ts'
import { makeOnThread } from './thread.ts'

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

export interface BackupsDeps {
  readonly config: MasterKeyConfig & Pick<Config, 'backups' | 'token'>
  readonly db: Database
  readonly clock: Clock
  readonly events: Events
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly random: Random
  readonly rooms: readonly RoomNames[]
}

/** A node that does not extend its lease for so long is gone. */
export const leaseMs = 120_000
const keptMs = 90 * 86_400_000
/** A backup grows a little from one to the next. */
const growth = 1.1

export function createBackups(deps: BackupsDeps): Backups {
  const { clock, config, db, events, log, random } = deps
  const { directory, everyHours, keep, passphrase } = config.backups
  const now = () => runStore(db).now(clock)

  return {
    isOn: directory !== undefined,

    async run(stop = new AbortController().signal) {
      if (directory === undefined) return
      await endDead(directory)
      const run = await claim()
      if (run) await make(run, directory, stop)
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
          await events.record(trx, backupRequested, { run: run.id })
          return run
        },
        guard,
      )
    },

    count: () => runStore(db).count(),
    page: (offset, limit) => runStore(db).page(offset, limit),

    async health() {
      if (directory === undefined) return null
      return healthOf(await recordOf(db), await now(), everyHours)
    },

    purge: async (batchSize) => runStore(db).purge(clock.now() - keptMs, batchSize),
  }

  /**
   * Ends the runs of nodes that are gone. One that had got its name was read back before, and is good; of
   * any other nothing is left.
   */
  async function endDead(directory: string): Promise<void> {
    const store = runStore(db)
    const running = await store.inState('running')
    if (running.length === 0) return
    const at = await store.now(clock)
    for (const run of running.filter(({ locked_until }) => locked_until <= at)) {
      const bytes = run.sha256 && run.file ? await bytesOf(directory, run.file) : null
      if (bytes !== null && bytes === run.bytes) {
        await finish(run)
      } else {
        await removePartial(directory, run.file ?? '').catch(() => {}) // the next run tries again
        await fail(run.id, `the node ${run.node} ended before the backup was made`)
      }
    }
  }

  /** Claims what is due, on one node of all. */
  async function claim(): Promise<RunRow | null> {
    if (!(await isDue(db))) return null // most looks end here, without a transaction
    return transact(db, [lockName.backups], async (trx) => {
      const store = runStore(trx)
      if (!(await isDue(trx))) return null
      const at = await store.now(clock)
      const claimed = {
        started_at: at,
        node: hostname(),
        locked_until: at + leaseMs,
        file: backupName(at, random),
      }
      const [waiting] = await store.inState('waiting')
      if (!waiting) return store.insert({ ...claimed, state: 'running' })
      return (await store.claim(waiting.id, claimed)) ? { ...waiting, ...claimed } : null
    })
  }

  async function isDue(reader: DatabaseOrTransaction): Promise<boolean> {
    const store = runStore(reader)
    if ((await store.inState('running')).length > 0) return false
    if ((await store.inState('waiting')).length > 0) return true
    const at = await store.now(clock)
    return dueAt(await recordOf(reader), at, everyHours) <= at
  }

  async function make(run: RunRow, directory: string, stop: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const lease = setInterval(() => {
      extended(run.id).then(
        (isOurs) => isOurs || lost.abort(),
        () => {}, // the database is away: the next time, or the lease ends
      )
    }, leaseMs / 4).unref()
    try {
      const stopped = AbortSignal.any([stop, lost.signal])
      const result = await makeFile(run, directory, stopped).catch((error: unknown) => ({ error }))
      if ('error' in result) {
        if (stop.aborted) await runStore(db).release(run.id)
        else await fail(run.id, folderProblem(result.error))
        return
      }
      const { folder, made } = result
      // If the database is away now, the next look finds the file, and finishes the run.
      if (!(await finish({ ...run, ...made }))) {
        await removeBackup(folder, run.file ?? '')
        return
      }
      log.info({ file: run.file, bytes: made.bytes }, 'a backup is made')
      await removeOld(folder)
    } finally {
      clearInterval(lease)
    }
  }

  async function makeFile(run: RunRow, directory: string, signal: AbortSignal) {
    const folder = await openFolder(directory)
    await clearLeft(folder)
    const last = await runStore(db).lastGood()
    await assertRoom(folder, (last?.bytes ?? 0) * growth)
    const order = {
      path: join(folder, run.file ?? ''),
      passphrase: passphrase?.reveal() ?? '',
      settings: config,
      tables: await tablesOf(deps.rooms),
      now: clock.now(),
    }
    const verified = async ({ bytes, sha256 }: ReadBack) => {
      const until = (await now()) + leaseMs
      if (await runStore(db).verified(run.id, { bytes, sha256 }, until)) return
      throw new Error('another node took the backup over, because this one stood still')
    }
    const { bytes, sha256 } = await makeOnThread(order, { db, signal, verified })
    return { folder, made: { bytes, sha256 } }
  }

  async function extended(id: number): Promise<boolean> {
    return runStore(db).extend(id, (await now()) + leaseMs)
  }

  function finish({ id, file, sha256 }: RunRow): Promise<boolean> {
    return transact(db, [], async (trx) => {
      const store = runStore(trx)
      const isOurs = await store.done(id, await store.now(clock))
      const made = { file: file ?? '', sha256: sha256 ?? '', keys: true, ...ofMachine() }
      if (isOurs) await events.record(trx, backupMade, made)
      return isOurs
    })
  }

  function fail(id: number, detail: string): Promise<void> {
    return transact(db, [], async (trx) => {
      const store = runStore(trx)
      if (!(await store.fail(id, detail, await store.now(clock)))) return
      const { failed } = await recordOf(trx)
      await events.record(trx, backupFailed, { detail, attempts: failed.length })
    })
  }

  /** Removes what runs have left that were killed. A name that no run has had is of another service. */
  async function clearLeft(folder: string): Promise<void> {
    const names = await partialsIn(folder)
    const store = runStore(db)
    const [known, writing] = [await store.known(names), await store.writing(names)]
    for (const name of names) {
      if (known.has(name) && !writing.has(name)) await removePartial(folder, name)
    }
  }

  /** Removes the backups beyond those that are kept. A file that stays is tried again after the next backup. */
  async function removeOld(folder: string): Promise<void> {
    for (const { id, file } of await runStore(db).surplus(keep)) {
      try {
        const wasThere = await removeBackup(folder, file ?? '')
        await transact(db, [], async (trx) => {
          await runStore(trx).removed(id, wasThere ? null : 'its file was gone already')
          if (wasThere) await events.record(trx, backupRemoved, { file: file ?? '' })
        })
      } catch (error) {
        log.warn({ err: error, file }, 'an old backup could not be removed')
      }
    }
  }
}

/** What decides when the next one is due. */
async function recordOf(db: DatabaseOrTransaction) {
  const lastGood = await runStore(db).lastGood()
  return { lastGood, failed: await runStore(db).failedSince(lastGood?.id ?? 0) }
}

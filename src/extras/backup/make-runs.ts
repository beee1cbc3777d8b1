import { rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Config } from '../../core/config/load.ts'
import type { Random } from '../../core/crypto/random.ts'
import type { Database, DatabaseOrTransaction } from '../../core/database/database.ts'
import { heartbeatMs, isGone, leaseMs } from '../../core/database/run-lease.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import type { Events } from '../../core/events/events.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import { runOnThread } from '../../core/threads/thread.ts'
import type { MasterKeyConfig } from '../../modules/keys/master-key.ts'
import { partialOf } from './archive-writer.ts'
import type { BackupNote, BackupOrder } from './backup-thread.ts'
import { tablesOf } from './copied-tables.ts'
import { backupFailed, backupMade, backupRemoved, ofMachine } from './events.ts'
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
import type { ReadBack } from './read-back.ts'
import { type Claim, type RunRow, runStore } from './run-store.ts'
import { dueAt } from './schedule.ts'

export interface BackupsDeps {
  readonly config: MasterKeyConfig & Pick<Config, 'backups' | 'token'>
  readonly db: Database
  readonly clock: Clock
  readonly events: Events
  readonly log: Pick<Logger, 'info' | 'warn'>
  readonly random: Random
  readonly modules: readonly ModuleNames[]
}

/** A backup grows a little from one to the next. */
const growth = 1.1
const thread = { from: import.meta.url, path: './backup-thread' } as const
/** How long a thread may take to remove its file after a stop. */
const graceMs = 5000

/** Makes a backup if one is due or asked for, and no other node makes it: see `Backups.run`. */
export function createRunMaker(
  deps: BackupsDeps,
): (directory: string, stop: AbortSignal) => Promise<void> {
  const { clock, config, db, events, log, random } = deps
  const { everyHours, keep, passphrase } = config.backups
  const now = () => runStore(db).now(clock)

  return async (directory, stop) => {
    await endDead(directory)
    const run = await claim()
    if (run) await make(run, directory, stop)
  }

  /**
   * Takes over the runs of nodes that are gone. One that had got its name was read back before, and is
   * good; any other waits to be made from the beginning. If that ends a process a second time, it fails.
   */
  async function endDead(directory: string): Promise<void> {
    const store = runStore(db)
    const running = await store.inState('running')
    if (running.length === 0) return
    const at = await store.now(clock)
    for (const run of running.filter((other) => isGone(other, at))) {
      const bytes = run.sha256 && run.file ? await bytesOf(directory, run.file) : null
      if (bytes !== null && bytes === run.bytes) {
        await finish(run)
      } else {
        await removePartial(directory, run.file ?? '').catch(() => {}) // the next run tries again
        const detail = `the node ${run.node} ended before the backup was made`
        if (run.detail === null) await store.release(run, { detail })
        else await fail(run, detail)
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
    return dueAt(await store.record(), at, everyHours) <= at
  }

  async function make(run: RunRow, directory: string, stop: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const lease = setInterval(() => {
      extended(run).then(
        (isOurs) => isOurs || lost.abort(),
        () => {}, // the database is away: the next time, or the lease ends
      )
    }, heartbeatMs).unref()
    try {
      const stopped = AbortSignal.any([stop, lost.signal])
      const result = await makeFile(run, directory, stopped).catch((error: unknown) => ({ error }))
      if ('error' in result) {
        if (stop.aborted) await runStore(db).release(run)
        else await fail(run, folderProblem(result.error))
        return
      }
      const { folder, leftOut, made } = result
      // If the database is away now, the next look finds the file, and finishes the run.
      if (!(await finish({ ...run, ...made }))) {
        // Another node has finished it, or given it up, because this one stood still.
        if (!(await runStore(db).isDone(run))) await removeBackup(folder, run.file ?? '')
        return
      }
      log.info({ file: run.file, bytes: made.bytes }, 'a backup is made')
      if (leftOut.size > 0) log.warn({ tables: [...leftOut.keys()] }, 'the backup lacks tables')
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
    const path = join(folder, run.file ?? '')
    const { masterKey, masterKeyFiles, nextMasterKey, database, token } = config
    const order = {
      path,
      passphrase: passphrase?.reveal() ?? '',
      config: {
        ...{ masterKey, database, token },
        ...(masterKeyFiles && { masterKeyFiles }),
        ...(nextMasterKey && { nextMasterKey }),
      },
      tables: tablesOf(deps.modules),
      now: clock.now(),
    }
    const onNote = async (made: BackupNote) => {
      if (!made) return
      const { bytes, sha256 } = made
      const until = (await now()) + leaseMs
      if (await runStore(db).verified(run, { bytes, sha256 }, until)) return
      throw new Error('another node took the backup over, because this one stood still')
    }
    const leaveNothing = () => rmSync(partialOf(path), { force: true })
    process.once('exit', leaveNothing)
    try {
      const options = { signal, graceMs, onNote }
      const made = await runOnThread<BackupOrder, ReadBack, BackupNote>(thread, order, options)
      return { folder, leftOut: made.leftOut, made: { bytes: made.bytes, sha256: made.sha256 } }
    } finally {
      leaveNothing()
      process.off('exit', leaveNothing)
    }
  }

  async function extended(run: Claim): Promise<boolean> {
    return runStore(db).extend(run, (await now()) + leaseMs)
  }

  function finish(run: RunRow): Promise<boolean> {
    return transact(db, [], async (trx) => {
      const store = runStore(trx)
      const isOurs = await store.done(run, await store.now(clock))
      const { file, sha256 } = run
      const made = { file: file ?? '', sha256: sha256 ?? '', keys: true, ...ofMachine() }
      if (isOurs) await events.emitInTransaction(trx, backupMade, made)
      return isOurs
    })
  }

  function fail(run: Claim, detail: string): Promise<void> {
    return transact(db, [], async (trx) => {
      const store = runStore(trx)
      if (!(await store.fail(run, detail, await store.now(clock)))) return
      const { failed } = await runStore(trx).record()
      await events.emitInTransaction(trx, backupFailed, { detail, attempts: failed.length })
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
          if (wasThere) await events.emitInTransaction(trx, backupRemoved, { file: file ?? '' })
        })
      } catch (error) {
        log.warn({ err: error, file }, 'an old backup could not be removed')
      }
    }
  }
}

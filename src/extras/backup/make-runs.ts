import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { lockName, transact } from '../../core/database/transactions.ts'
import type { ModuleNames } from '../../core/module/module.ts'
import { createRuns, lastRun, type RunCall, type Runs } from '../../core/runs/runs.ts'
import type { Deps } from '../../core/runtime/deps.ts'
import { runOnThread } from '../../core/threads/thread.ts'
import { partialOf } from './archive-writer.ts'
import type { BackupNote, BackupOrder } from './backup-thread.ts'
import { tablesOf } from './copied-tables.ts'
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
import type { ReadBack } from './read-back.ts'
import { good, type RunRow, runStore } from './run-store.ts'
import { dueAt } from './schedule.ts'

export interface BackupsDeps
  extends Pick<Deps, 'clock' | 'config' | 'db' | 'events' | 'log' | 'random'> {
  readonly modules: readonly ModuleNames[]
}

/** Expected size growth between backups. */
const growth = 1.1
const thread = { from: import.meta.url, path: './backup-thread' } as const
/** Time for a stopped thread to remove its file. */
const graceMs = 5000

interface Making {
  readonly directory: string
  /** Null: without keys, and without encryption. */
  readonly passphrase: string | null
  /** Older backups beyond these are removed; null: none is. */
  readonly keep: number | null
}

export function createBackupRuns(
  deps: BackupsDeps,
  { directory, keep, passphrase }: Making,
): Runs<RunRow> {
  const { clock, config, db, events, log, random } = deps
  const { everyHours } = config.backups
  const withoutFile = { file: null, bytes: null, sha256: null }

  return createRuns<RunRow>(deps, {
    table: 'backup_runs',
    lockName: lockName.backups,
    requested: (at) => ({ started_at: at }),
    started: (at) => ({ file: backupName(at, random) }),
    restarted: withoutFile,
    failed: withoutFile,
    goal: 'the backup was made',
    isDue: async (reader, at) => dueAt(await runStore(reader).record(), at, everyHours) <= at,
    isComplete,
    work,
    afterwards,
    detailOf: folderProblem,
    onRequested: (trx, { id }) => events.emitInTransaction(trx, backupRequested, { run: id }),
    onDone: (trx, { file, sha256 }) =>
      events.emitInTransaction(trx, backupMade, {
        ...{ file: file ?? '', sha256: sha256 ?? '', keys: passphrase !== null, ...ofMachine() },
      }),
    async onFailed(trx, { detail }) {
      const { failed } = await runStore(trx).record()
      const facts = { detail: detail ?? '', attempts: failed.length }
      await events.emitInTransaction(trx, backupFailed, facts)
    },
  })

  /** A named file has been read back. */
  async function isComplete({ bytes, file, sha256 }: RunRow): Promise<boolean> {
    const found = sha256 && file ? await bytesOf(directory, file) : null
    if (found !== null && found === bytes) return true
    await removePartial(directory, file ?? '').catch(() => {}) // retried by the next run
    return false
  }

  async function work(run: RunRow, { signal, save }: RunCall<RunRow>): Promise<Partial<RunRow>> {
    const folder = await openFolder(directory)
    await clearLeft(folder)
    const last = await lastRun<RunRow>(db, 'backup_runs', good)
    await assertRoom(folder, (last?.bytes ?? 0) * growth)
    const path = join(folder, run.file ?? '')
    const { masterKey, masterKeyFiles, nextMasterKey, database, token } = config
    const order = {
      path,
      passphrase,
      config: {
        ...{ masterKey, database, token },
        ...(masterKeyFiles && { masterKeyFiles }),
        ...(nextMasterKey && { nextMasterKey }),
      },
      tables: tablesOf(deps.modules),
      now: clock.now(),
    }
    const onNote = (made: BackupNote) => made && save({ bytes: made.bytes, sha256: made.sha256 })
    const leaveNothing = () => rmSync(partialOf(path), { force: true })
    process.once('exit', leaveNothing)
    try {
      const options = { signal, graceMs, onNote }
      const made = await runOnThread<BackupOrder, ReadBack, BackupNote>(thread, order, options)
      const { bytes, leftOut, sha256 } = made
      if (leftOut.size > 0) log.warn({ tables: [...leftOut.keys()] }, 'the backup lacks tables')
      return { bytes, sha256 }
    } finally {
      leaveNothing()
      process.off('exit', leaveNothing)
    }
  }

  async function afterwards(run: RunRow, isOurs: boolean): Promise<void> {
    const folder = await openFolder(directory)
    if (isOurs) {
      log.info({ file: run.file, bytes: run.bytes }, 'a backup is made')
      if (keep !== null) await removeOld(folder, keep)
    } else if (!(await runStore(db).isDone(run))) {
      // This node stalled, and another node gave up its run.
      await removeBackup(folder, run.file ?? '')
    }
  }

  /** Removes leftovers of killed runs. Unknown names belong to another service. */
  async function clearLeft(folder: string): Promise<void> {
    const names = await partialsIn(folder)
    const states = await runStore(db).statesOf(names)
    for (const name of names) {
      if (states.has(name) && states.get(name) !== 'running') await removePartial(folder, name)
    }
  }

  /** A failed removal is retried after the next backup. */
  async function removeOld(folder: string, keep: number): Promise<void> {
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

import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { Config } from '../../../core/config/load.ts'
import type { Database, DatabaseOrTransaction } from '../../../core/database/database.ts'
import { databaseTime } from '../../../core/database/database-time.ts'
import { isGone, leaseMs } from '../../../core/database/run-lease.ts'
import { type Guard, lockName, transact } from '../../../core/database/transactions.ts'
import type { Events } from '../../../core/events/events.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'
import type { Clock } from '../../../core/lib/clock.ts'
import { reasonOf } from '../../../core/reason.ts'
import { runOnThread } from '../../../core/threads/thread.ts'
import type { KeySet } from '../../keys/key-set.ts'
import {
  auditIntegrityFailed,
  auditNotVerified,
  auditVerificationRequested,
  auditVerified,
} from '../events.ts'
import type { AuditProof } from '../proof.ts'
import type { Verification } from './report.ts'
import { type VerificationRow, verificationStore } from './run-store.ts'
import { shownVerification } from './shown.ts'
import type { VerifyOrder } from './verify-thread.ts'

/** Verifications of the audit log that an administrator asks for; one runs at a time, on one node. */
export interface AuditVerifications {
  /** Has one made; the job of a node takes it up. Answers the one that waits or runs already. */
  request(guard?: Guard): Promise<VerificationRow>
  /** The one that waits or runs, and the last one that has ended. */
  state(): Promise<{ readonly open: VerificationRow | null; readonly last: VerificationRow | null }>
  /** Verifies if one waits, and no other node does. */
  run(stop?: AbortSignal): Promise<void>
  purge(batchSize: number): Promise<number>
}

export interface AuditVerificationsDeps {
  readonly config: Pick<Config, 'audit' | 'database'>
  readonly clock: Clock
  readonly db: Database
  readonly events: Events
  readonly keys: Pick<KeySet, 'audit'>
  readonly auditProof: Pick<AuditProof, 'sent'>
}

/** How often its progress is stored, which extends the claim. */
const toldEveryMs = 2000
/** A snapshot that is held for longer keeps the database from clearing up. */
const maxMs = 900_000
const keptMs = 90 * 86_400_000
/** A sink that is away may keep the others waiting. */
const sendMs = 5000

export function createAuditVerifications(deps: AuditVerificationsDeps): AuditVerifications {
  const { auditProof, clock, config, db, events, keys } = deps

  return {
    request: (guard) =>
      transact(
        db,
        [lockName.auditVerifications],
        async (trx) => {
          const store = verificationStore(trx)
          const asked_at = await databaseTime(trx, clock)
          const [known] = await store.open()
          const run = known ?? (await store.insert({ asked_at, node: hostname() }))
          await events.emitInTransaction(trx, auditVerificationRequested, { verification: run.id })
          return run
        },
        guard,
      ),

    async state() {
      const [open = null] = await verificationStore(db).open()
      return { open, last: await verificationStore(db).last() }
    },

    async run(stop = new AbortController().signal) {
      const open = await verificationStore(db).open()
      if (open.length === 0) return // most looks end here, without a transaction
      const run = await claim(await databaseTime(db, clock))
      if (run) await verify(run, stop)
    },

    purge: async (batchSize) => verificationStore(db).purge(clock.now() - keptMs, batchSize),
  }

  /**
   * Takes over the runs of nodes that are gone, and claims one that waits unless another runs. A run
   * that ends a process a second time fails.
   */
  async function claim(at: number): Promise<VerificationRow | null> {
    return transact(db, [lockName.auditVerifications], async (trx) => {
      const store = verificationStore(trx)
      for (const run of await store.open()) {
        if (run.state !== 'running' || !isGone(run, at)) continue
        const detail = `the node ${run.node} ended before the log was verified`
        if (run.detail === null) await store.release(run, { detail })
        else await fail(trx, run, detail)
      }
      const [first] = await store.open()
      if (first?.state !== 'waiting') return null
      const claimed = { started_at: at, node: hostname(), locked_until: at + leaseMs }
      return (await store.claim(first.id, claimed)) ? { ...first, ...claimed } : null
    })
  }

  async function verify(run: VerificationRow, stop: AbortSignal): Promise<void> {
    const lost = new AbortController()
    const startedAt = clock.now()
    let records = 0
    let telling: Promise<unknown> = Promise.resolve()
    const tell = async () => {
      if (clock.now() - startedAt >= maxMs) return lost.abort(tooLong)
      const until = (await databaseTime(db, clock)) + leaseMs
      if (!(await verificationStore(db).progress(run, records, until))) lost.abort(taken)
    }
    const lease = setInterval(() => {
      telling = telling.then(tell).catch(() => {}) // the database is away: the next time, or it ends
    }, toldEveryMs).unref()
    const { chain, index, service, data, checkpointSeed } = keys.audit
    const order = {
      ...{ database: config.database, keys: { chain, index, service, data, checkpointSeed } },
      ...{ outside: await outsideFile(), now: clock.now() },
    }
    const result = await runOnThread<VerifyOrder, Verification, number>(thread, order, {
      signal: AbortSignal.any([stop, lost.signal]),
      onNote: (count) => {
        records = count
      },
    }).catch((error: unknown) => ({ error }))
    clearInterval(lease)
    await telling
    if (!('error' in result)) return finish(run, result)
    if (stop.aborted) await verificationStore(db).release(run)
    else if (lost.signal.reason !== taken) {
      const detail = lost.signal.aborted ? String(lost.signal.reason) : reasonOf(result.error)
      await transact(db, [], (trx) => fail(trx, run, detail))
    }
  }

  /** Null if it is missing: a process that has begun a moment ago may have yet to write it. */
  async function outsideFile(): Promise<string | null> {
    const { checkpointsFile } = config.audit
    if (existsSync(checkpointsFile)) return checkpointsFile
    await Promise.race([auditProof.sent(), setTimeout(sendMs, undefined, { ref: false })])
    return existsSync(checkpointsFile) ? checkpointsFile : null
  }

  async function finish(run: VerificationRow, found: Verification): Promise<void> {
    await transact(db, [], async (trx) => {
      const { first, problemCount } = found
      const { id } = run
      const { records, checkpoints } = found.checked
      const result = JSON.stringify(shownVerification(found))
      const now = await databaseTime(trx, clock)
      if (!(await verificationStore(trx).done(run, { result, records, now }))) return
      if (first === null) {
        await events.emitInTransaction(trx, auditVerified, {
          verification: id,
          records,
          checkpoints,
        })
        return
      }
      await events.emitInTransaction(trx, auditIntegrityFailed, {
        verification: id,
        problems: problemCount,
        first: first.detail,
      })
    })
  }

  async function fail(
    trx: DatabaseOrTransaction,
    run: VerificationRow,
    detail: string,
  ): Promise<void> {
    const now = await databaseTime(trx, clock)
    if (!(await verificationStore(trx).fail(run, detail, now))) return
    await events.emitInTransaction(trx, auditNotVerified, { verification: run.id, detail })
  }
}

const thread = { from: import.meta.url, path: './verify-thread' } as const
const taken = 'another node has ended it'
const tooLong = `it took longer than 15 minutes: ${gatehouse} audit verify has no such limit`

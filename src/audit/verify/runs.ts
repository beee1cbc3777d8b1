import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { Config } from '../../config/load.ts'
import type { Database, DatabaseOrTransaction } from '../../database/database.ts'
import { databaseTime } from '../../database/database-time.ts'
import { type Guard, lockName, transact } from '../../database/transactions.ts'
import type { Events } from '../../events/events.ts'
import { gatehouse } from '../../hints/command-line.ts'
import type { Clock } from '../../kernel/clock.ts'
import { reasonOf } from '../../kernel/reason.ts'
import type { KeySet } from '../../keys/key-set.ts'
import {
  auditNotVerified,
  auditNotWhole,
  auditVerificationRequested,
  auditVerified,
} from '../events.ts'
import type { AuditProof } from '../proof.ts'
import type { Verification } from './report.ts'
import { type VerificationRow, verificationStore } from './run-store.ts'
import { shownVerification } from './shown.ts'
import { verifyOnThread } from './thread.ts'

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

/** A node that does not extend its claim for so long is gone. */
const leaseMs = 60_000
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
          await events.record(trx, auditVerificationRequested, { verification: run.id })
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

  /** Ends the runs of nodes that are gone, and claims one that waits unless another runs. */
  async function claim(at: number): Promise<VerificationRow | null> {
    return transact(db, [lockName.auditVerifications], async (trx) => {
      const store = verificationStore(trx)
      for (const run of await store.open()) {
        if (run.state === 'running' && isGone(run, at)) {
          await fail(trx, run, `the node ${run.node} ended before the log was verified`)
        }
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
      if (!(await verificationStore(db).progress(run.id, records, until))) lost.abort(taken)
    }
    const lease = setInterval(() => {
      telling = telling.then(tell).catch(() => {}) // the database is away: the next time, or it ends
    }, toldEveryMs).unref()
    const result = await verifyOnThread({
      database: config.database,
      keys: keys.audit,
      outside: await outsideFile(),
      now: clock.now(),
      signal: AbortSignal.any([stop, lost.signal]),
      onProgress: (count) => {
        records = count
      },
    }).catch((error: unknown) => ({ error }))
    clearInterval(lease)
    await telling
    if (!('error' in result)) return finish(run, result)
    if (stop.aborted) await verificationStore(db).release(run.id)
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

  async function finish({ id }: VerificationRow, found: Verification): Promise<void> {
    await transact(db, [], async (trx) => {
      const { first, problemCount } = found
      const { records, checkpoints } = found.checked
      const result = JSON.stringify(shownVerification(found))
      const now = await databaseTime(trx, clock)
      if (!(await verificationStore(trx).done(id, { result, records, now }))) return
      if (first === null) {
        await events.record(trx, auditVerified, { verification: id, records, checkpoints })
        return
      }
      await events.record(trx, auditNotWhole, {
        verification: id,
        problems: problemCount,
        first: first.detail,
      })
    })
  }

  async function fail(
    trx: DatabaseOrTransaction,
    { id }: VerificationRow,
    detail: string,
  ): Promise<void> {
    const now = await databaseTime(trx, clock)
    if (!(await verificationStore(trx).fail(id, detail, now))) return
    await events.record(trx, auditNotVerified, { verification: id, detail })
  }
}

const taken = 'another node has ended it'
const tooLong = `it took longer than 15 minutes: ${gatehouse} audit verify has no such limit`

/** Whether a node has let its claim run out, or has one of a clock that was set back since. */
function isGone({ locked_until }: Pick<VerificationRow, 'locked_until'>, at: number): boolean {
  return locked_until <= at || locked_until > at + leaseMs
}

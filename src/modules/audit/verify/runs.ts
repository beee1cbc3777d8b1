import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { lockName } from '../../../core/database/transactions.ts'
import { gatehouse } from '../../../core/hints/command-line.ts'
import { reasonOf } from '../../../core/reason.ts'
import { createRuns, lastRun, openRuns, type RunCall, type Runs } from '../../../core/runs/runs.ts'
import type { Deps } from '../../../core/runtime/deps.ts'
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
import { purgeVerifications, type VerificationRow } from './run-store.ts'
import { shownVerification } from './shown.ts'
import type { VerifyOrder } from './verify-thread.ts'

export interface AuditVerifications extends Runs<VerificationRow> {
  /** The open run and the last ended run. */
  state(): Promise<{ readonly open: VerificationRow | null; readonly last: VerificationRow | null }>
  purge(batchSize: number): Promise<number>
}

export interface AuditVerificationsDeps extends Pick<Deps, 'clock' | 'config' | 'db' | 'events'> {
  readonly keys: Pick<KeySet, 'audit'>
  readonly auditProof: Pick<AuditProof, 'sent'>
}

/** A snapshot blocks the cleanup of old row versions. */
const limit = {
  ms: 900_000,
  detail: `it took longer than 15 minutes: ${gatehouse} audit verify has no such limit`,
}
const keptMs = 90 * 86_400_000
/** The other sinks may wait for an unavailable sink: do not wait for them longer than this. */
const sendMs = 5000
const thread = { from: import.meta.url, path: './verify-thread' } as const
const table = 'audit_verifications'
const endStates = ['done', 'failed'] as const

export function createAuditVerifications(deps: AuditVerificationsDeps): AuditVerifications {
  const { auditProof, clock, config, db, events, keys } = deps
  const runs = createRuns<VerificationRow>(deps, {
    table,
    lockName: lockName.auditVerifications,
    requested: (at) => ({ asked_at: at }),
    restarted: { started_at: null, records: 0 },
    goal: 'the log was verified',
    limit,
    work,
    detailOf: reasonOf,
    onRequested: (trx, { id }) =>
      events.emitInTransaction(trx, auditVerificationRequested, { verification: id }),
    async onDone(trx, { id, records, result }) {
      const found: ReturnType<typeof shownVerification> = JSON.parse(result ?? '') // written by `work`
      const { first, problem_count: problems } = found
      const { checkpoints } = found.checked
      const verification = id
      if (first === null) {
        await events.emitInTransaction(trx, auditVerified, { verification, records, checkpoints })
      } else {
        const facts = { verification, problems, first: first.detail }
        await events.emitInTransaction(trx, auditIntegrityFailed, facts)
      }
    },
    onFailed: (trx, { id, detail }) =>
      events.emitInTransaction(trx, auditNotVerified, { verification: id, detail: detail ?? '' }),
  })

  return {
    ...runs,

    async state() {
      const [open = null] = await openRuns<VerificationRow>(db, table)
      return { open, last: await lastRun<VerificationRow>(db, table, endStates) }
    },

    purge: (batchSize) => purgeVerifications(db, clock.now() - keptMs, batchSize),
  }

  async function work(
    _: VerificationRow,
    { signal, progress }: RunCall<VerificationRow>,
  ): Promise<Partial<VerificationRow>> {
    const { chain, index, service, data, checkpointSeed } = keys.audit
    const order = {
      ...{ database: config.database, keys: { chain, index, service, data, checkpointSeed } },
      ...{ outside: await outsideFile(), now: clock.now() },
    }
    const onNote = (records: number) => progress({ records })
    const options = { signal, onNote }
    const found = await runOnThread<VerifyOrder, Verification, number>(thread, order, options)
    const { records } = found.checked
    return { result: JSON.stringify(shownVerification(found)), records }
  }

  /** Null if not written yet. */
  async function outsideFile(): Promise<string | null> {
    const { checkpointsFile } = config.audit
    if (existsSync(checkpointsFile)) return checkpointsFile
    await Promise.race([auditProof.sent(), setTimeout(sendMs, undefined, { ref: false })])
    return existsSync(checkpointsFile) ? checkpointsFile : null
  }
}

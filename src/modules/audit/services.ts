import type { DatabaseOrTransaction } from '../../core/database/database.ts'
import { inTransaction } from '../../core/module/hooks.ts'
import { hook, service } from '../../core/module/service.ts'
import { type Audit, createAudit } from './audit.ts'
import { type AuditLog, createAuditLog } from './audit-log.ts'
import type { Checkpoint } from './checkpoint-form.ts'
import { handOverCheckpoints } from './checkpoint-key-rotation.ts'
import { createErasure, type Erasure } from './erasure.ts'
import { type AuditIndexes, createAuditIndexes } from './indexes.ts'
import { createPersonSeal, type PersonSeal } from './person-seal.ts'
import { sectionsOf } from './personal-data.ts'
import { type AuditProof, createAuditProof } from './proof.ts'
import { type AuditVerifications, createAuditVerifications } from './verify/runs.ts'
import type { InsertedRecord } from './writer.ts'

declare module '../../core/module/hooks.ts' {
  interface HookPoints {
    /** In the same transaction, after the insert. */
    onRecordsInserted: (
      trx: DatabaseOrTransaction,
      records: readonly InsertedRecord[],
    ) => Promise<void>
    onCheckpointInserted: (trx: DatabaseOrTransaction, checkpoint: Checkpoint) => Promise<void>
  }
}

declare module '../../core/module/services.ts' {
  interface Services {
    readonly audit: Audit
    readonly auditIndexes: AuditIndexes
    readonly auditLog: AuditLog
    readonly auditProof: AuditProof
    readonly auditVerifications: AuditVerifications
    readonly erasure: Erasure
    readonly personSeal: PersonSeal
  }
}

export const services = [
  service({
    makes: ['audit'],
    hooks: ['onRecordsInserted'],
    inEachProcess: true, // no change is committed without its record
    create: ({ onRecordsInserted, ...needs }) => ({
      audit: createAudit({ ...needs, inserted: inTransaction(onRecordsInserted) }),
    }),
    close: ({ audit }) => audit.close(),
  }),
  service({
    makes: ['auditIndexes'],
    create: ({ asyncCommitDb }) => ({ auditIndexes: createAuditIndexes(asyncCommitDb) }),
  }),
  service({
    needs: ['audit', 'keys'],
    makes: ['auditProof'],
    hooks: ['onCheckpointInserted'],
    create({ audit, onCheckpointInserted, ...needs }) {
      const auditProof = createAuditProof({
        ...needs,
        inserted: inTransaction(onCheckpointInserted),
      })
      audit.onCommitted(auditProof.recorded)
      return { auditProof }
    },
    close: ({ auditProof }) => auditProof.close(),
  }),
  service({
    needs: ['auditProof', 'keys'],
    makes: ['auditVerifications'],
    create: (needs) => ({ auditVerifications: createAuditVerifications(needs) }),
  }),
  service({
    needs: ['accounts', 'keys'],
    makes: ['auditLog'],
    create: ({ accounts, ...needs }) => ({
      auditLog: createAuditLog({
        ...needs,
        userIdOf: async (username) => (await accounts.byUsername(username))?.userId ?? null,
      }),
    }),
  }),
  service({
    needs: ['keys'],
    makes: ['personSeal'],
    create: (needs) => ({ personSeal: createPersonSeal(needs) }),
  }),
  service({
    needs: ['identities', 'keys', 'audit'],
    makes: ['erasure'],
    hooks: ['onErasure'],
    create: ({ identities, onErasure, ...needs }) => ({
      erasure: createErasure({
        ...needs,
        erased: inTransaction(onErasure),
        subjectsOf: identities.subjectsOf,
      }),
    }),
  }),
]

export const hooks = [
  hook('onUserRemoved', ['erasure'], ({ erasure }) => erasure.begin),
  hook('onKeyTurned', [], () => handOverCheckpoints),
  hook('personSections', ['auditLog'], sectionsOf),
]

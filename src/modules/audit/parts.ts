import type { RoomParts } from '../../core/module/room.ts'
import type { Audit } from './audit.ts'
import type { Erasure } from './erasure.ts'
import type { AuditProof } from './proof.ts'
import { type AuditRoutesOptions, auditRoutes } from './routes.ts'
import { type VerificationRoutesOptions, verificationRoutes } from './verification-routes.ts'
import type { AuditVerifications } from './verify/runs.ts'

export interface Needs extends AuditRoutesOptions, VerificationRoutesOptions {
  readonly audit: Audit
  readonly auditProof: AuditProof
  readonly auditVerifications: AuditVerifications
  readonly erasure: Erasure
}

const recordEveryMs = 100
const closeEveryMs = 600_000
const heedErasuresEveryMs = 1000
const verifyEveryMs = 1000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    const { audit } = needs
    app.refusalListeners.push((request, error) => {
      audit.refused(request.id, error.status, error.reason?.code ?? null)
    })
    await app.register(auditRoutes, needs)
    await app.register(verificationRoutes, needs)
  },
  jobs: ({ audit, auditProof, auditVerifications, erasure }) => [
    {
      name: 'audit records',
      everyMs: recordEveryMs,
      inEachWorker: true,
      isIdle: () => audit.state().waiting === 0,
      run: audit.run,
    },
    { name: 'audit chains', everyMs: closeEveryMs, inEachWorker: true, run: audit.closeLeft },
    {
      name: 'audit checkpoints',
      everyMs: auditProof.everyMs,
      inEachWorker: true,
      run: auditProof.run,
    },
    {
      name: 'audit verification',
      everyMs: verifyEveryMs,
      run: (stop) => auditVerifications.run(stop),
    },
    { name: 'old audit verifications', purge: auditVerifications.purge },
    { name: 'audit retention', purge: auditProof.purge },
    {
      name: 'keys of erased persons',
      everyMs: heedErasuresEveryMs,
      inEachWorker: true,
      run: erasure.heed,
    },
    { name: 'erasures', everyMs: heedErasuresEveryMs, purge: erasure.clear },
    { name: 'keys of users who are gone', purge: erasure.sweep },
    {
      name: 'erasures from before their lists',
      everyMs: heedErasuresEveryMs,
      purge: erasure.listEarlier,
    },
  ],
}

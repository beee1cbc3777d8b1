import type { RoomParts } from '../room/room.ts'
import type { Audit } from './audit.ts'
import type { AuditProof } from './proof.ts'

export interface Needs {
  readonly audit: Audit
  readonly auditProof: AuditProof
}

const recordEveryMs = 100
const closeEveryMs = 600_000

export const parts: RoomParts<Needs> = {
  routes: async (app, { audit }) => {
    app.refusalListeners.push((request, error) => {
      audit.refused(request.id, error.status, error.reason?.code ?? null)
    })
  },
  jobs: ({ audit, auditProof }) => [
    { name: 'audit records', everyMs: recordEveryMs, inEachWorker: true, run: audit.run },
    { name: 'audit chains', everyMs: closeEveryMs, inEachWorker: true, run: audit.closeLeft },
    {
      name: 'audit checkpoints',
      everyMs: auditProof.everyMs,
      inEachWorker: true,
      run: auditProof.run,
    },
    { name: 'audit retention', purge: auditProof.purge },
  ],
}

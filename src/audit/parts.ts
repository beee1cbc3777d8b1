import type { RoomParts } from '../room/room.ts'
import type { Audit } from './audit.ts'
import type { AuditProof } from './proof.ts'
import { type AuditRoutesOptions, auditRoutes } from './routes.ts'

export interface Needs extends AuditRoutesOptions {
  readonly audit: Audit
  readonly auditProof: AuditProof
}

const recordEveryMs = 100
const closeEveryMs = 600_000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    const { audit } = needs
    app.refusalListeners.push((request, error) => {
      audit.refused(request.id, error.status, error.reason?.code ?? null)
    })
    await app.register(auditRoutes, needs)
  },
  jobs: ({ audit, auditProof }) => [
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
    { name: 'audit retention', purge: auditProof.purge },
  ],
}

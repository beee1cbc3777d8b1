import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

const recordEveryMs = 100
const indexEveryMs = 2000
const closeEveryMs = 600_000
const heedErasuresEveryMs = 1000
const verifyEveryMs = 1000

/**
 * Records every event just before the commit, sealed under the keys of persons, on a chain
 * (writer.ts). Signed checkpoints prove the chains (proof.ts), `verify/` recomputes them,
 * `outside/` sends them to files and syslog. Routes: /api/admin/audit. docs/adr/0050, 0051
 */
export const module: Module = {
  name: 'audit',
  tag: 'Audit log',
  scopes: ['audit:read'],
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  commands: [
    {
      rows: [
        {
          name: 'audit export',
          summary: 'Writes the records of the audit log as JSON Lines, the oldest first',
        },
      ],
      load: () => import('./export-command.ts'),
    },
    {
      rows: [
        {
          name: 'audit verify',
          summary:
            'Verifies that no record of the audit log was changed, removed or added, and names the first that was',
        },
      ],
      load: () => import('./verify-command.ts'),
      settings: ['AUDIT_SINKS'],
    },
  ],
  services: () => import('./services.ts'),
  routes: () => Promise.all([import('./routes.ts'), import('./verification-routes.ts')]),
  jobs: ({ audit, auditIndexes, auditProof, auditVerifications, erasure }) => [
    {
      name: 'audit records',
      everyMs: recordEveryMs,
      inEachWorker: true,
      isIdle: () => audit.state().waiting === 0,
      run: audit.run,
    },
    { name: 'audit indexes', everyMs: indexEveryMs, purge: auditIndexes.fill },
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

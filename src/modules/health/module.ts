import type { Module } from '../../core/module/module.ts'

const lookEveryMs = 10_000

/**
 * Liveness and readiness: /health/live, /health/ready, /api/public/status. Modules add warnings by
 * `readinessWarning`.
 */
export const module: Module = {
  name: 'health',
  tag: 'Service',
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: () => import('./routes.ts'),
  // Logs warnings on nodes without probes too.
  jobs: ({ readiness }) => [{ name: 'warnings', everyMs: lookEveryMs, run: readiness.warnings }],
}

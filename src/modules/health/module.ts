import type { Module } from '../../core/module/module.ts'

const lookEveryMs = 10_000

export const module: Module = {
  name: 'health',
  tag: 'Service',
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: () => import('./routes.ts'),
  // Also logs on nodes without probes.
  jobs: ({ readiness }) => [{ name: 'warnings', everyMs: lookEveryMs, run: readiness.warnings }],
}

import type { Module } from '../../core/module/module.ts'

/** Prometheus and OpenMetrics. docs/adr/0054 */
export const module: Module = {
  name: 'metrics',
  tag: 'Service',
  settings: () => import('./settings.ts'),
  checks: () => import('./checks.ts'),
  routes: () => import('./routes.ts'),
}

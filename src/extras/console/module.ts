import type { Module } from '../../core/module/module.ts'
import { consoleElsewhere } from './problems.ts'

/**
 * The console for administrators and editors at /admin: one page without data, which a script
 * fills from the API. docs/adr/0070
 */
export const module: Module = {
  name: 'console',
  requires: ['account-details'],
  tag: 'Service',
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [consoleElsewhere],
  services: () => import('./services.ts'),
  routes: () => import('./routes.ts'),
}

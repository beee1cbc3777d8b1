import type { Module } from '../../core/module/module.ts'
import { consoleElsewhere } from './problems.ts'

/** Console at /admin: a page without data, filled from the API. docs/adr/0070 */
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

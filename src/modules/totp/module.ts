import type { Module } from '../../core/module/module.ts'
import { secondFactorNotFound } from './problems.ts'
import { tables } from './tables.ts'

/** Spec 5.5. */
export const module: Module = {
  name: 'totp',
  tag: 'Second factor',
  tables,
  errors: [secondFactorNotFound],
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: () => Promise.all([import('./own-routes.ts'), import('./admin-routes.ts')]),
}

import type { Module } from '../../core/module/module.ts'
import { secondFactorNotFound } from './problems.ts'
import { tables } from './tables.ts'

/**
 * The second factor (spec 5.5): TOTP codes and recovery codes. Routes: /api/account/totp,
 * /api/account/recovery-codes, /api/admin/accounts/{username}/second-factor.
 */
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

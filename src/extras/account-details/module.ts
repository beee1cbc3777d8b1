import type { Module } from '../../core/module/module.ts'

/**
 * All that belongs to an account on one page of the console. Each module declares its part by
 * `accountDetail`. Route: /api/admin/accounts/{username}/details
 */
export const module: Module = {
  name: 'account-details',
  services: () => import('./services.ts'),
  routes: () => import('./routes.ts'),
}

import type { Module } from '../../core/module/module.ts'

/** Modules add their part with `accountDetail`. Route: /api/admin/accounts/{username}/details */
export const module: Module = {
  name: 'account-details',
  services: () => import('./services.ts'),
  routes: () => import('./routes.ts'),
}

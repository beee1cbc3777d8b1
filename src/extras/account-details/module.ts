import type { Module } from '../../core/module/module.ts'

/**
 * All that belongs to an account on one page of the console. Each module declares its part by
 * `accountDetail`. Route: /api/admin/accounts/{username}/details
 */
export const module: Module = {
  name: 'account-details',
  services: () => import('./services.ts'),
  routes: async () => {
    const { accountDetailsRoutes } = await import('./routes.ts')
    return async (app, needs) => {
      await app.register(accountDetailsRoutes, needs)
    }
  },
}

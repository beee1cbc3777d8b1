import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'totp',
  tag: 'Second factor',
  tables,
  errors: ['secondFactorRequired', 'secondFactorNotFound'],
  events: () => import('./events.ts'),
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: async () => {
    const [{ ownAccountPrefixes }, { factorAdminRoutes }, { factorRoutes }] = await Promise.all([
      import('../../core/policy/groups.ts'),
      import('./admin-routes.ts'),
      import('./own-routes.ts'),
    ])
    return async (app, needs) => {
      for (const prefix of ownAccountPrefixes) {
        await app.register(factorRoutes, { prefix, ...needs })
      }
      await app.register(factorAdminRoutes, needs)
    }
  },
}

import { fileBeside, type Room } from '../room/room.ts'
import type { FactorAdminOptions } from './admin-routes.ts'
import type { FactorRoutesOptions } from './own-routes.ts'

export const room: Room<FactorRoutesOptions & FactorAdminOptions> = {
  name: 'totp',
  tables: [
    {
      name: 'second_factors',
      key: ['user_id'],
      sealed: ['sealed', 'pending'],
      person: { column: 'user_id', gone: 'removed' },
    },
    {
      name: 'recovery_codes',
      key: ['user_id', 'code'],
      person: { column: 'user_id', gone: 'removed' },
    },
  ],
  errors: ['secondFactorRequired'],
  events: fileBeside(import.meta.url, './events'),

  async routes(app, needs) {
    const { ownAccountPrefixes } = await import('../policy/groups.ts')
    const { factorRoutes } = await import('./own-routes.ts')
    const { factorAdminRoutes } = await import('./admin-routes.ts')
    for (const prefix of ownAccountPrefixes) {
      await app.register(factorRoutes, { prefix, ...needs })
    }
    await app.register(factorAdminRoutes, needs)
  },
}

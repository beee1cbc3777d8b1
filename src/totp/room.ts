import { ownAccountPrefixes } from '../policy/groups.ts'
import type { Room } from '../room/room.ts'
import type { FactorAdminOptions } from './admin-routes.ts'
import { mfaCodesRenewed, mfaEnrolled, mfaFail, mfaRemoved } from './events.ts'
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
  events: [mfaEnrolled, mfaFail, mfaCodesRenewed, mfaRemoved],

  async routes(app, needs) {
    const { factorRoutes } = await import('./own-routes.ts')
    const { factorAdminRoutes } = await import('./admin-routes.ts')
    for (const prefix of ownAccountPrefixes) {
      await app.register(factorRoutes, { prefix, ...needs })
    }
    await app.register(factorAdminRoutes, needs)
  },
}

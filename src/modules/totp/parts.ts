import type { RoomParts } from '../../core/module/room.ts'
import { ownAccountPrefixes } from '../../core/policy/groups.ts'
import { type FactorAdminOptions, factorAdminRoutes } from './admin-routes.ts'
import { type FactorRoutesOptions, factorRoutes } from './own-routes.ts'

export type Needs = FactorRoutesOptions & FactorAdminOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    for (const prefix of ownAccountPrefixes) {
      await app.register(factorRoutes, { prefix, ...needs })
    }
    await app.register(factorAdminRoutes, needs)
  },
}

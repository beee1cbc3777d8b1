import { ownAccountPrefixes } from '../policy/groups.ts'
import type { RoomParts } from '../room/room.ts'
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

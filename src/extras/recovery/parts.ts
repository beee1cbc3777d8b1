import type { RoomParts } from '../../core/module/room.ts'
import { type AdminResetOptions, adminResetRoutes } from './admin-routes.ts'
import { type PublicResetOptions, publicResetRoutes } from './public-routes.ts'

export type Needs = PublicResetOptions & AdminResetOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(publicResetRoutes, needs)
    await app.register(adminResetRoutes, needs)
  },
}

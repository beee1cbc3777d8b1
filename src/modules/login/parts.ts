import type { RoomParts } from '../../core/module/room.ts'
import { type LoginRoutesOptions, loginRoutes } from './routes.ts'
import { type ThrottleRoutesOptions, throttleAdminRoutes } from './throttle-routes.ts'

export type Needs = LoginRoutesOptions & ThrottleRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(loginRoutes, needs)
    await app.register(throttleAdminRoutes, needs)
  },
}

import type { RoomParts } from '../room/room.ts'
import { type HealthRoutesOptions, healthRoutes } from './routes.ts'

export type Needs = HealthRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(healthRoutes, needs)
  },
}

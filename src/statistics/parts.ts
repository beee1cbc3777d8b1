import type { RoomParts } from '../room/room.ts'
import { type StatisticsOptions, statisticsRoutes } from './routes.ts'

export type Needs = StatisticsOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(statisticsRoutes, needs)
  },
}

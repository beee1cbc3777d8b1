import type { Room } from '../room/room.ts'
import type { StatisticsOptions } from './routes.ts'

export const room: Room<StatisticsOptions> = {
  name: 'statistics',

  async routes(app, needs) {
    const { statisticsRoutes } = await import('./routes.ts')
    await app.register(statisticsRoutes, needs)
  },
}

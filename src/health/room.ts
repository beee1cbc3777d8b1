import type { Room } from '../room/room.ts'
import type { HealthRoutesOptions } from './routes.ts'

export const room: Room<HealthRoutesOptions> = {
  name: 'health',
  tag: 'Service',

  async routes(app, needs) {
    const { healthRoutes } = await import('./routes.ts')
    await app.register(healthRoutes, needs)
  },
}

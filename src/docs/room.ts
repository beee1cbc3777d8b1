import type { Config } from '../config/load.ts'
import type { Room } from '../room/room.ts'

export const room: Room<{ readonly config: Pick<Config, 'environment'> }> = {
  name: 'docs',
  tag: 'Service',

  async routes(app, needs) {
    const { docsRoutes } = await import('./routes.ts')
    await app.register(docsRoutes, needs)
  },
}

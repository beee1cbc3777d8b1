import type { Config } from '../../core/config/load.ts'
import type { RoomParts } from '../../core/module/room.ts'
import { docsRoutes } from './routes.ts'

export interface Needs {
  readonly config: Pick<Config, 'environment'>
}

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(docsRoutes, needs)
  },
}

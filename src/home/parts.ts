import type { RoomParts } from '../room/room.ts'
import { languageRoutes } from './language-routes.ts'
import { type HomeOptions, homeRoutes } from './routes.ts'

export type Needs = HomeOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(homeRoutes, needs)
    await app.register(languageRoutes)
  },
}

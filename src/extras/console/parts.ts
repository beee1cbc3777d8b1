import type { RoomParts } from '../../core/module/room.ts'
import { type ConsoleOptions, consoleRoutes } from './routes.ts'

export type Needs = ConsoleOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    if (needs.config.console.isOn) await app.register(consoleRoutes, needs)
  },
}

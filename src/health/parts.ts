import type { RoomParts } from '../room/room.ts'
import { type HealthRoutesOptions, healthRoutes } from './routes.ts'

export type Needs = HealthRoutesOptions

const lookEveryMs = 10_000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(healthRoutes, needs)
  },

  // The log tells of a warning also where no probe asks.
  jobs: ({ readiness }) => [{ name: 'warnings', everyMs: lookEveryMs, run: readiness.warnings }],
}

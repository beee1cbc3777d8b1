import type { RoomParts } from '../../core/module/room.ts'
import { type HealthRoutesOptions, healthRoutes } from './routes.ts'

export type Needs = HealthRoutesOptions

const lookEveryMs = 10_000

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(healthRoutes, needs)
  },

  // Logs warnings on nodes without probes too.
  jobs: ({ readiness }) => [{ name: 'warnings', everyMs: lookEveryMs, run: readiness.warnings }],
}

import type { RoomParts } from '../../core/module/room.ts'
import { createJobStates, type JobStates } from './job-states.ts'
import { type StatusRoutesOptions, statusRoutes } from './routes.ts'
import { settingsRoutes } from './settings-routes.ts'

export type Needs = Omit<StatusRoutesOptions, 'jobStates'> & Parameters<typeof createJobStates>[0]

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    const jobStates: JobStates = createJobStates(needs)
    await app.register(statusRoutes, { ...needs, jobStates })
    await app.register(settingsRoutes, needs)
  },
}

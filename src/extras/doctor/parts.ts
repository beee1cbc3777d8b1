import type { RoomParts } from '../../core/module/room.ts'
import { type DoctorRoutesOptions, doctorRoutes } from './routes.ts'

export type Needs = DoctorRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(doctorRoutes, needs)
  },
}

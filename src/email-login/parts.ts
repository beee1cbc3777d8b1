import type { RoomParts } from '../room/room.ts'
import { type EmailLoginRoutesOptions, emailLoginRoutes } from './routes.ts'

export type Needs = EmailLoginRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(emailLoginRoutes, needs)
  },
}

import type { RoomParts } from '../../core/module/room.ts'
import { type EmailLoginRoutesOptions, emailLoginRoutes } from './routes.ts'

export type Needs = EmailLoginRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(emailLoginRoutes, needs)
  },
}

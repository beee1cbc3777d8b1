import type { RoomParts } from '../room/room.ts'
import { type PostRoutesOptions, postRoutes } from './routes.ts'

export type Needs = PostRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(postRoutes, needs)
  },
}

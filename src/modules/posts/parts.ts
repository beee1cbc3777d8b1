import type { RoomParts } from '../../core/module/room.ts'
import { type PostRoutesOptions, postRoutes } from './routes.ts'

export type Needs = PostRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(postRoutes, needs)
  },
}

import type { RoomParts } from '../room/room.ts'
import { changePasswordRoutes } from './change-password.ts'

/** The flows of pages, a folder for each: what it needs, and below its routes. */
export type Needs = object

export const parts: RoomParts<Needs> = {
  async routes(app) {
    await app.register(changePasswordRoutes)
  },
}

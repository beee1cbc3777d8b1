import type { RoomParts } from '../room/room.ts'
import { changePasswordRoutes } from './change-password.ts'
import { type ResetPagesOptions, resetPages } from './reset/routes.ts'
import { type VerifyPagesOptions, verifyPages } from './verify/routes.ts'

/** The flows of pages, a folder for each: what it needs, and below its routes. */
export type Needs = ResetPagesOptions & VerifyPagesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(changePasswordRoutes)
    await app.register(resetPages, needs)
    await app.register(verifyPages, needs)
  },
}

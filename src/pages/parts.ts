import type { RoomParts } from '../room/room.ts'
import { changePasswordRoutes } from './change-password.ts'
import { type InvitationPagesOptions, invitationPages } from './invitation/routes.ts'
import { type SignUpPagesOptions, signUpPages } from './sign-up/routes.ts'

/** The flows of pages, a folder for each: what it needs, and below its routes. */
export type Needs = SignUpPagesOptions & InvitationPagesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(changePasswordRoutes)
    await app.register(invitationPages, needs)
    await app.register(signUpPages, needs)
  },
}

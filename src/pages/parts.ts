import type { RoomParts } from '../room/room.ts'
import { changePasswordRoutes } from './change-password.ts'
import { type SignInRoutesOptions, signInRoutes } from './sign-in/routes.ts'
import { type SignOutRoutesOptions, signOutRoutes } from './sign-in/sign-out.ts'

/** The flows of pages, a folder for each: what it needs, and below its routes. */
export type Needs = SignInRoutesOptions & SignOutRoutesOptions

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(changePasswordRoutes)
    await app.register(signInRoutes, needs)
    await app.register(signOutRoutes, needs)
  },
}

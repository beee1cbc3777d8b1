import type { RoomParts } from '../../core/module/room.ts'
import { type InvitationRoutesOptions, invitationAdminRoutes } from './admin-routes.ts'
import type { InvitationStoreDeps } from './invitation-store.ts'
import { type PublicRegistrationOptions, publicRegistrationRoutes } from './public-routes.ts'

export type Needs = InvitationRoutesOptions & PublicRegistrationOptions & InvitationStoreDeps

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    await app.register(publicRegistrationRoutes, needs)
    await app.register(invitationAdminRoutes, needs)
  },

  jobs: ({ invitations }) => [{ name: 'ended invitations', purge: invitations.purge }],
}

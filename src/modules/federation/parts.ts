import type { RoomParts } from '../../core/module/room.ts'
import { ownAccountPrefixes } from '../../core/policy/groups.ts'
import { type IdentityAdminOptions, identityAdminRoutes } from './admin-routes.ts'
import type { ExternalBearer } from './authenticator.ts'
import { type IdentityRoutesOptions, identityRoutes } from './own-routes.ts'
import { type ExternalRoutesOptions, externalRoutes } from './routes.ts'

export type Needs = ExternalRoutesOptions &
  IdentityAdminOptions &
  IdentityRoutesOptions & { readonly externalBearer: ExternalBearer }

export const parts: RoomParts<Needs> = {
  /** A provider's token comes where one of ours may. */
  authenticators: ({ externalBearer }, before) =>
    before.map((own) => (own.scheme === 'bearer' ? externalBearer.beside(own) : own)),

  async routes(app, needs) {
    for (const prefix of ownAccountPrefixes) {
      await app.register(identityRoutes, { prefix, ...needs })
    }
    await app.register(identityAdminRoutes, needs)
    await app.register(externalRoutes, needs)
  },
}

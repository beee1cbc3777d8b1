import type { RoomParts } from '../../core/module/room.ts'
import { type TokenAdminOptions, tokenAdminRoutes } from './admin-routes.ts'
import { type BearerDeps, bearerAuthenticator } from './authenticator.ts'
import { type ClientRoutesOptions, clientRoutes } from './client-routes.ts'
import { type TokenRoutesOptions, tokenRoutes } from './routes.ts'

export type Needs = TokenRoutesOptions & TokenAdminOptions & ClientRoutesOptions & BearerDeps

export const parts: RoomParts<Needs> = {
  authenticators: (needs, before) => [...before, bearerAuthenticator(needs)],

  async routes(app, needs) {
    await app.register(tokenRoutes, needs)
    await app.register(tokenAdminRoutes, needs)
    await app.register(clientRoutes, needs)
  },

  jobs: ({ revocations, rotation }) => [
    { name: 'refresh tokens', purge: rotation.purge },
    { name: 'revocations', purge: revocations.purge },
  ],
}

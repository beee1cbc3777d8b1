import type { RoomParts } from '../../core/module/room.ts'
import { type ClientAdminOptions, clientAdminRoutes } from './admin-routes.ts'
import { type ClientAuthenticatorDeps, clientAuthenticator } from './authenticator.ts'

export type Needs = ClientAuthenticatorDeps & ClientAdminOptions

const refreshMs = 1000

export const parts: RoomParts<Needs> = {
  authenticators: (needs, before) => [...before, clientAuthenticator(needs)],

  async routes(app, needs) {
    await app.register(clientAdminRoutes, needs)
  },

  jobs: ({ clients }) => [
    {
      name: 'clients file',
      everyMs: refreshMs,
      inEachWorker: true,
      readsFiles: true,
      run: () => clients.refresh(),
    },
  ],
}

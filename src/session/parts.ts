import type { Config } from '../config/load.ts'
import { ownAccountPrefixes } from '../policy/groups.ts'
import type { RoomParts } from '../room/room.ts'
import { type SessionAdminOptions, sessionAdminRoutes } from './admin-routes.ts'
import { sessionAuthenticator } from './authenticator.ts'
import { type LogoutRoutesOptions, logoutRoutes } from './logout-routes.ts'
import { type OwnSessionsOptions, ownSessionRoutes } from './own-routes.ts'
import { type SessionRoutesOptions, sessionRoutes } from './routes.ts'
import type { Sessions } from './sessions.ts'

export type Needs = LogoutRoutesOptions &
  OwnSessionsOptions &
  SessionAdminOptions &
  SessionRoutesOptions & { readonly config: Pick<Config, 'session'>; readonly sessions: Sessions }

export const parts: RoomParts<Needs> = {
  authenticators: ({ config, sessions }, before) => [
    ...before,
    sessionAuthenticator(config, sessions),
  ],

  async routes(app, needs) {
    for (const prefix of ownAccountPrefixes) {
      await app.register(ownSessionRoutes, { prefix, ...needs })
    }
    await app.register(logoutRoutes, needs)
    await app.register(sessionRoutes, needs)
    await app.register(sessionAdminRoutes, needs)
  },

  jobs: ({ sessions }) => [
    { name: 'session activity', everyMs: 1000, inEachWorker: true, run: sessions.flush },
    { name: 'ended sessions', purge: sessions.purge },
  ],
}

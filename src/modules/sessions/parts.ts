import type { Config } from '../../core/config/load.ts'
import type { Database } from '../../core/database/database.ts'
import type { Clock } from '../../core/lib/clock.ts'
import type { RoomParts } from '../../core/module/room.ts'
import { ownAccountPrefixes } from '../../core/policy/groups.ts'
import { type SessionAdminOptions, sessionAdminRoutes } from './admin-routes.ts'
import { sessionAuthenticator } from './authenticator.ts'
import { purgeSessionEnds } from './ends.ts'
import { type LogoutRoutesOptions, logoutRoutes } from './logout-routes.ts'
import { type OwnSessionsOptions, ownSessionRoutes } from './own-routes.ts'
import { type SessionRoutesOptions, sessionRoutes } from './routes.ts'
import type { Sessions } from './sessions.ts'

export type Needs = LogoutRoutesOptions &
  OwnSessionsOptions &
  SessionAdminOptions &
  SessionRoutesOptions & {
    /** For purges, which may be lost with the power. */
    readonly asyncCommitDb: Database
    readonly clock: Clock
    readonly config: Pick<Config, 'session'>
    readonly sessions: Sessions
  }

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

  jobs: ({ asyncCommitDb, clock, sessions }) => [
    { name: 'session activity', everyMs: 1000, inEachWorker: true, run: sessions.flush },
    { name: 'ended sessions', purge: sessions.purge },
    {
      name: 'ends of sessions',
      purge: (batchSize) => purgeSessionEnds({ db: asyncCommitDb, clock }, batchSize),
    },
  ],
}

import type { Config } from '../config/load.ts'
import { fileBeside, type Room } from '../room/room.ts'
import type { SessionAdminOptions } from './admin-routes.ts'
import type { LogoutRoutesOptions } from './logout-routes.ts'
import type { OwnSessionsOptions } from './own-routes.ts'
import type { SessionRoutesOptions } from './routes.ts'
import type { Sessions } from './sessions.ts'

type Needs = LogoutRoutesOptions &
  OwnSessionsOptions &
  SessionAdminOptions &
  SessionRoutesOptions & { readonly config: Pick<Config, 'session'>; readonly sessions: Sessions }

export const room: Room<Needs> = {
  name: 'session',
  tables: [
    {
      name: 'sessions',
      key: ['id'],
      isLogin: true,
      person: { column: 'user_id', gone: 'removed' },
    },
  ],
  events: fileBeside(import.meta.url, './events'),
  errors: ['sessionNotFound'],
  /** Browsers must send it with every state-changing request of a session. */
  requestHeaders: [{ name: 'X-CSRF-Token' }],
  settings: [
    'SESSION_COOKIE_NAME',
    'SESSION_IDLE_SECONDS',
    'SESSION_ABSOLUTE_SECONDS',
    'SESSIONS_PER_ACCOUNT',
  ],

  async authenticators({ config, sessions }, before) {
    const { sessionAuthenticator } = await import('./authenticator.ts')
    return [...before, sessionAuthenticator(config, sessions)]
  },

  async routes(app, needs) {
    const { ownAccountPrefixes } = await import('../policy/groups.ts')
    const { ownSessionRoutes } = await import('./own-routes.ts')
    const { logoutRoutes } = await import('./logout-routes.ts')
    const { sessionRoutes } = await import('./routes.ts')
    const { sessionAdminRoutes } = await import('./admin-routes.ts')
    for (const prefix of ownAccountPrefixes) {
      await app.register(ownSessionRoutes, { prefix, ...needs })
    }
    await app.register(logoutRoutes, needs)
    await app.register(sessionRoutes, needs)
    await app.register(sessionAdminRoutes, needs)
  },

  jobs: async ({ sessions }) => [
    { name: 'session activity', everyMs: 1000, run: sessions.flush },
    { name: 'ended sessions', purge: sessions.purge },
  ],

  async onAccountEnded() {
    const { endSessionsOf } = await import('./sessions.ts')
    return async (trx, { userId, endsLogins, keepSession }) => {
      if (endsLogins) await endSessionsOf(trx, userId, keepSession)
    }
  },
}

import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'sessions',
  eventCategory: 'session',
  tag: 'Sessions',
  tables: [
    {
      name: 'sessions',
      key: ['id'],
      isLogin: true,
      person: { column: 'user_id', onDelete: 'delete' },
    },
    {
      name: 'session_ends',
      key: [],
      person: {
        column: 'user_id',
        onDelete: 'delete',
        excluded: 'digests of ended sessions, for a day',
      },
      leftOut: 'kept for a day, to explain refusals of the service that wrote them',
    },
  ],
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  /** Browsers must send it with every state-changing request of a session. */
  requestHeaders: [{ name: 'X-CSRF-Token' }],
  settings: [
    'SESSION_COOKIE_NAME',
    'SESSION_IDLE_SECONDS',
    'SESSION_ABSOLUTE_SECONDS',
    'SESSIONS_PER_ACCOUNT',
  ],

  services: () => import('./services.ts'),
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  authenticators: async () => {
    const { sessionAuthenticator } = await import('./authenticator.ts')
    return ({ config, sessions }, before) => [...before, sessionAuthenticator(config, sessions)]
  },
  routes: async () => {
    const [
      { ownAccountPrefixes },
      { sessionAdminRoutes },
      { logoutRoutes },
      { ownSessionRoutes },
      { sessionRoutes },
    ] = await Promise.all([
      import('../../core/policy/groups.ts'),
      import('./admin-routes.ts'),
      import('./logout-routes.ts'),
      import('./own-routes.ts'),
      import('./routes.ts'),
    ])
    return async (app, needs) => {
      for (const prefix of ownAccountPrefixes) {
        await app.register(ownSessionRoutes, { prefix, ...needs })
      }
      await app.register(logoutRoutes, needs)
      await app.register(sessionRoutes, needs)
      await app.register(sessionAdminRoutes, needs)
    }
  },
  jobs: ({ asyncCommitDb, clock, sessions }) => [
    { name: 'session activity', everyMs: 1000, inEachWorker: true, run: sessions.flush },
    { name: 'ended sessions', purge: sessions.purge },
    {
      name: 'ends of sessions',
      async purge(batchSize) {
        const { purgeSessionEnds } = await import('./ends.ts')
        return purgeSessionEnds({ db: asyncCommitDb, clock }, batchSize)
      },
    },
  ],
}

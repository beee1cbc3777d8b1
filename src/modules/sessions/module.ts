import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/**
 * Cookie sessions with CSRF protection (spec 2.3, 3.1, 5.2): idle and absolute timeouts, the
 * scheme `session`, /logout, /api/session and the lists of sessions.
 */
export const module: Module = {
  name: 'sessions',
  eventCategory: 'session',
  tag: 'Sessions',
  tables,
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  /** Required for every state-changing request of a session. */
  requestHeaders: [{ name: 'X-CSRF-Token' }],
  settings: () => import('./settings.ts'),

  commands: [
    {
      rows: [
        {
          name: 'session list',
          operands: ['username'],
          summary: 'Shows the live sessions of an account, the newest first',
        },
        {
          name: 'session end',
          operands: ['username', '[id]'],
          summary: 'Ends one session of an account; without an id, all sessions and all tokens',
        },
      ],
      load: () => import('./commands.ts'),
    },
  ],
  services: () => import('./services.ts'),
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  authenticators: async () => {
    const { sessionAuthenticator } = await import('./authenticator.ts')
    return ({ config, sessions }, before) => [...before, sessionAuthenticator(config, sessions)]
  },
  routes: () =>
    Promise.all([
      import('./own-routes.ts'),
      import('./logout-routes.ts'),
      import('./routes.ts'),
      import('./admin-routes.ts'),
    ]),
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

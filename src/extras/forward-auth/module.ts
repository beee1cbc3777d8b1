import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

const refreshMs = 1000

/**
 * Proxies ask /api/authz/forward, and the rules of FORWARD_AUTH_FILE decide. docs/adr/0061, 0062,
 * 0063
 */
export const module: Module = {
  name: 'forward-auth',
  eventCategory: 'forward',
  tag: 'Applications',
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  commands: [
    {
      rows: [
        {
          name: 'forward check',
          operands: ['url', '[user]'],
          summary:
            'Says which rule of FORWARD_AUTH_FILE answers a request to an application, and why; for a user, what would happen',
        },
      ],
      load: () => import('./commands.ts'),
      settings: ['ROLES', 'REQUIRE_SECOND_FACTOR', 'LOGIN_LOCK_AFTER'],
    },
  ],
  tables,
  services: () => import('./services.ts'),
  routes: () => Promise.all([import('./routes.ts'), import('./enter-routes.ts')]),
  pages: () => import('./pages/application.ts'),
  jobs: ({ forwardRules, hostSessions }) => [
    {
      name: 'forward file',
      everyMs: refreshMs,
      inEachWorker: true,
      readsFiles: true,
      run: () => forwardRules.refresh(),
    },
    { name: 'forward tickets', purge: hostSessions.purge },
  ],
}

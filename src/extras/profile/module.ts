import type { Module } from '../../core/module/module.ts'
import { profileValueTaken } from './problems.ts'
import { tables } from './tables.ts'

const refreshMs = 1000

/**
 * Further fields of accounts, which PROFILE_FILE declares: docs/profile.md. Routes:
 * /api/admin/accounts/{username}/profile, /api/account/profile, /api/public/profiles/{id},
 * /account/profile
 */
export const module: Module = {
  name: 'profile',
  requires: ['own-account'],
  tag: 'Administration of accounts',
  scopes: ['profile:read', 'profile:write'],
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [profileValueTaken],
  checks: () => import('./checks.ts'),
  services: () => import('./services.ts'),
  routes: () =>
    Promise.all([
      import('./admin-routes.ts'),
      import('./own-routes.ts'),
      import('./public-routes.ts'),
    ]),
  pages: () => import('./pages.ts'),
  jobs: ({ profileFields, profileValues }) => [
    {
      name: 'profile file',
      everyMs: refreshMs,
      inEachWorker: true,
      readsFiles: true,
      run: () => profileFields.refresh(),
    },
    { name: 'unique profile values', purge: profileValues.addKeys },
  ],
}

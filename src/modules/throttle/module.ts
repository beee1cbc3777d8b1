import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/**
 * The login throttle (spec 3.3, 8): attempts per username and address, quotas of known browsers,
 * the proof of work, and the limits of clients. An attempt is reserved before the password is
 * verified. docs/adr/0079
 */
export const module: Module = {
  name: 'throttle',
  tag: 'Sign in',
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: () => import('./routes.ts'),
  jobs: ({ asyncCommitDb: db, clock }) => [
    {
      name: 'throttle places',
      async purge(batchSize) {
        const { purgeThrottle } = await import('./throttle.ts')
        return purgeThrottle({ db, clock }, batchSize)
      },
    },
    {
      name: 'used captchas',
      async purge(batchSize) {
        const { purgeChallenges } = await import('./captcha.ts')
        return purgeChallenges({ db, clock }, batchSize)
      },
    },
  ],
}

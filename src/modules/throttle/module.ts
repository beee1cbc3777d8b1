import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'throttle',
  tag: 'Sign in',
  tables,
  events: () => import('./events.ts'),
  errors: ['captchaRequired', 'tooManyLoginAttempts'],
  settings: () => import('./settings.ts'),
  services: () => import('./services.ts'),
  checks: () => import('./checks.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: async () => {
    const { captchaRoutes } = await import('./routes.ts')
    return async (app, needs) => {
      await app.register(captchaRoutes, needs)
    }
  },
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

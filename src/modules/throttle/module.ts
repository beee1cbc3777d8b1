import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'throttle',
  tag: 'Sign in',
  tables: [
    { name: 'throttle_places', key: ['id'], givesIds: true },
    { name: 'used_challenges', key: ['nonce'] },
  ],
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  settings: [
    'LOGIN_ATTEMPTS',
    'LOGIN_WINDOW_SECONDS',
    'LOGIN_ADDRESS_ATTEMPTS',
    'LOGIN_ADDRESS_WINDOW_SECONDS',
    'LOGIN_CAPTCHA_AFTER',
  ],
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

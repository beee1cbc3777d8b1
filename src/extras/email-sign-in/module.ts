import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'email-sign-in',
  requires: ['mail'],
  eventCategory: 'email-login',
  methods: [{ name: 'email', amr: ['email'] }],
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: async () => {
    const { emailLoginRoutes } = await import('./routes.ts')
    return async (app, needs) => {
      await app.register(emailLoginRoutes, needs)
    }
  },
}

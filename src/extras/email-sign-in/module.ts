import type { Module } from '../../core/module/module.ts'

/** /api/public/sign-in-code and the sign-in pages. */
export const module: Module = {
  name: 'email-sign-in',
  requires: ['mail'],
  eventCategory: 'email-login',
  methods: [{ name: 'email', amr: ['email'] }],
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: () => import('./routes.ts'),
}

import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'authentication',
  events: () => import('./events.ts'),
  errors: ['confirmationRequired', 'invalidCredentials', 'passwordChangeRequired'],
  settings: () => import('./settings.ts'),
  services: () => import('./services.ts'),
}

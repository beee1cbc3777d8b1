import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'authentication',
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
}

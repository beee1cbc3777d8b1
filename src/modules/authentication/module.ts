import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'authentication',
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  settings: ['REQUIRE_SECOND_FACTOR'],
  services: () => import('./services.ts'),
}

import type { Module } from '../../core/module/module.ts'

/** Spec 4.1. docs/access.txt prints the requirements. */
export const module: Module = {
  name: 'authentication',
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
}

import type { Module } from '../../core/module/module.ts'

/**
 * The steps of every login (spec 4.1): rate limit, evidence, requirements, completion.
 * docs/access.txt prints the requirements.
 */
export const module: Module = {
  name: 'authentication',
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
}

import type { Module } from '../../core/module/module.ts'

/**
 * What every login goes through (spec 4.1): an attempt of the throttle, the evidence of a method,
 * the table of requirements with its stages, and the completion, which issues a session or a token
 * in one transaction. docs/access.txt prints the table.
 */
export const module: Module = {
  name: 'authentication',
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
}

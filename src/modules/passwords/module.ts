import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/**
 * Password hashes, rules (spec 5.6), blocklist, and the breach service at PASSWORD_BREACH_URL.
 * docs/adr/0009
 */
export const module: Module = {
  name: 'passwords',
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
}

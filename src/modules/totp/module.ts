import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/** Spec 5.5: codes of an authenticator app, a kind of second factor. */
export const module: Module = {
  name: 'totp',
  tag: 'Second factor',
  tables,
  reasons: () => import('./reasons.ts'),
  services: () => import('./services.ts'),
  routes: () => import('./own-routes.ts'),
}

import type { Module } from '../../core/module/module.ts'
import { postNotFound } from './problems.ts'
import { tables } from './tables.ts'

/** Posts with owner and lock (spec 2.7, 4.3). */
export const module: Module = {
  name: 'posts',
  tag: 'Posts',
  scopes: ['posts:read', 'posts:write'],
  tables,
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [postNotFound],
  services: () => import('./services.ts'),
  routes: () => import('./routes.ts'),
}

import type { Module } from '../../core/module/module.ts'

/**
 * One answer for operators: how each part of the service does, and which settings are in force.
 * Routes: /api/admin/status, /api/admin/settings.
 */
export const module: Module = {
  name: 'status',
  tag: 'Service',
  routes: () => Promise.all([import('./routes.ts'), import('./settings-routes.ts')]),
}

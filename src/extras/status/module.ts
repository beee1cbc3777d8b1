import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'status',
  tag: 'Service',
  routes: () => Promise.all([import('./routes.ts'), import('./settings-routes.ts')]),
}

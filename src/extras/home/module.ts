import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'home',
  tag: 'Service',
  routes: () => import('./routes.ts'),
}

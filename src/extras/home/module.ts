import type { Module } from '../../core/module/module.ts'

/** The page / : what this service is, and where to sign in. */
export const module: Module = {
  name: 'home',
  tag: 'Service',
  routes: () => import('./routes.ts'),
}

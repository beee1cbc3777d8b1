import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

export const module: Module = {
  name: 'posts',
  tag: 'Posts',
  tables,
  events: () => import('./events.ts'),
  errors: ['postNotFound'],
  settings: () => import('./settings.ts'),
  services: () => import('./services.ts'),
  routes: async () => {
    const { postRoutes } = await import('./routes.ts')
    return async (app, needs) => {
      await app.register(postRoutes, needs)
    }
  },
}

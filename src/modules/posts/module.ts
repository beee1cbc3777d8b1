import type { Module } from '../../core/module/module.ts'
import { postNotFound } from './problems.ts'

export const module: Module = {
  name: 'posts',
  tag: 'Posts',
  tables: [
    {
      name: 'posts',
      key: ['id'],
      givesIds: true,
      person: { column: 'author_id', onDelete: 'set-null', inSteps: true },
    },
  ],
  events: () => import('./events.ts'),
  reasons: () => import('./reasons.ts'),
  errors: [postNotFound],
  settings: ['POSTS_DELETE_POLICY'],
  services: () => import('./services.ts'),
  routes: async () => {
    const { postRoutes } = await import('./routes.ts')
    return async (app, needs) => {
      await app.register(postRoutes, needs)
    }
  },
}

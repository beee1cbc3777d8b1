import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'api-reference',
  tag: 'Service',
  routes: async () => {
    const { docsRoutes } = await import('./routes.ts')
    return async (app, needs) => {
      await app.register(docsRoutes, needs)
    }
  },
}

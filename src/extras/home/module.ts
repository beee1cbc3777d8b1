import type { Module } from '../../core/module/module.ts'

/** The page / : what this service is, and where to sign in. */
export const module: Module = {
  name: 'home',
  tag: 'Service',
  routes: async () => {
    const [{ limitPageRequests }, { prefersPage }, { homeRoutes }] = await Promise.all([
      import('../../core/http/limits/page-requests.ts'),
      import('../../core/http/pages/negotiation.ts'),
      import('./routes.ts'),
    ])
    return async (app, needs) => {
      limitPageRequests(app, prefersPage) // programs get JSON
      await app.register(homeRoutes, needs)
    }
  },
}

import type { Module } from '../../core/module/module.ts'

/** The pages on which a person manages the own account. */
export const module: Module = {
  name: 'own-account',
  services: () => import('./services.ts'),
  routes: async () => {
    const [{ registerPages }, { changePasswordRoutes }, { accountPages }] = await Promise.all([
      import('../../core/http/limits/page-requests.ts'),
      import('./change-password.ts'),
      import('./pages/routes.ts'),
    ])
    return (app, needs) => registerPages(app, [changePasswordRoutes, accountPages], needs)
  },
}

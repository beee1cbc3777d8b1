import type { Module } from '../../core/module/module.ts'

/**
 * Verified email addresses: their change, confirmation and the way back of an address that was
 * changed. Routes: /api/account/email, /api/public/verification, /verify. docs/adr/0060, 0074
 */
export const module: Module = {
  name: 'email-addresses',
  requires: ['mail'],
  eventCategory: 'emails',
  tag: 'Own account',
  events: () => import('./events.ts'),
  settings: () => import('./settings.ts'),
  services: () => import('./services.ts'),
  routes: async () => {
    const [
      { registerPages },
      { ownAccountPrefixes },
      { accountEmailRoutes },
      { ownEmailRoutes },
      { emailPages },
      { languageForm },
      { verifyPages },
      { verificationRoutes },
    ] = await Promise.all([
      import('../../core/http/limits/page-requests.ts'),
      import('../../modules/accounts/own-paths.ts'),
      import('./admin-routes.ts'),
      import('./own-routes.ts'),
      import('./pages/own-email.ts'),
      import('./pages/own-language.ts'),
      import('./pages/routes.ts'),
      import('./public-routes.ts'),
    ])
    return async (app, needs) => {
      for (const prefix of ownAccountPrefixes) {
        await app.register(ownEmailRoutes, { prefix, ...needs })
      }
      await app.register(accountEmailRoutes, needs)
      await app.register(verificationRoutes, needs)
      await registerPages(app, [emailPages, languageForm, verifyPages], needs)
    }
  },
}

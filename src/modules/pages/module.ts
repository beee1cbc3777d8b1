import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'pages',
  settings: [
    'RETURN_ORIGINS',
    'PAGES_NAME',
    'PAGES_COLOR',
    'PAGES_LOGO_FILE',
    'PAGES_LANGUAGE',
    'PAGES_TEXTS_FILE',
  ],
  checks: () => import('./checks.ts'),
  routes: async () => {
    const [
      { limitPageRequests },
      { warningOfPages },
      { invitationPages },
      { resetPages },
      { applicationRoutes },
      { providerSignOutRoutes },
      { signInRoutes },
      { signOutRoutes },
      { signUpPages },
      { verifyPages },
    ] = await Promise.all([
      import('../../core/http/limits/page-requests.ts'),
      import('../../core/http/pages/built.ts'),
      import('../../extras/sign-up/pages/invitation/routes.ts'),
      import('../../extras/recovery/pages/routes.ts'),
      import('./sign-in/application.ts'),
      import('./sign-in/provider-sign-out.ts'),
      import('./sign-in/routes.ts'),
      import('./sign-in/sign-out.ts'),
      import('../../extras/sign-up/pages/routes.ts'),
      import('../../extras/email-addresses/pages/routes.ts'),
    ])
    return async (app, needs) => {
      app.addHook('onListen', async () => {
        const warning = needs.workers.index === 0 ? warningOfPages() : null
        if (warning !== null) app.log.warn(warning)
      })
      limitPageRequests(app)
      await app.register(resetPages, needs)
      await app.register(verifyPages, needs)
      await app.register(signInRoutes, needs)
      await app.register(applicationRoutes, needs)
      await app.register(signOutRoutes, needs)
      await app.register(providerSignOutRoutes, needs)
      await app.register(invitationPages, needs)
      await app.register(signUpPages, needs)
    }
  },
}

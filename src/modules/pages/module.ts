import type { Module } from '../../core/module/module.ts'

/**
 * Pages for people: frame, languages, errors as pages, and the sign-in with its steps, to which
 * other modules add ways. Routes: /signin, /signout, /language. docs/adr/0056
 */
export const module: Module = {
  name: 'pages',
  settings: () => import('./settings.ts'),
  checks: () => import('./checks.ts'),
  services: () => import('./services.ts'),
  routes: async () => {
    const [
      { limitPageRequests, registerPages },
      { warningOfPages },
      { frameAssets },
      { prefersPage },
      { languageRoutes },
      { providerSignOutRoutes },
      { signInRoutes },
      { signOutRoutes },
    ] = await Promise.all([
      import('../../core/http/limits/page-requests.ts'),
      import('../../core/http/pages/built.ts'),
      import('../../core/http/pages/frame-assets.ts'),
      import('../../core/http/pages/negotiation.ts'),
      import('./language-routes.ts'),
      import('./sign-in/provider-sign-out.ts'),
      import('./sign-in/routes.ts'),
      import('./sign-in/sign-out.ts'),
    ])
    return async (app, needs) => {
      app.addHook('onListen', async () => {
        const warning = needs.workers.index === 0 ? warningOfPages() : null
        if (warning !== null) app.log.warn(warning)
      })
      await app.register(async (frame) => {
        limitPageRequests(frame, prefersPage)
        frameAssets.routes(frame)
        await frame.register(languageRoutes)
      })
      await registerPages(app, [signInRoutes, signOutRoutes, providerSignOutRoutes], needs)
    }
  },
  fallbackRoutes: async () => (await import('./default-pages.ts')).defaultPages,
}

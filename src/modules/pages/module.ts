import type { Module } from '../../core/module/module.ts'

/** docs/adr/0056 */
export const module: Module = {
  name: 'pages',
  settings: () => import('./settings.ts'),
  checks: () => import('./checks.ts'),
  services: () => import('./services.ts'),
  routes: () => import('./frame-routes.ts'),
  pages: () =>
    Promise.all([
      import('./sign-in/routes.ts'),
      import('./sign-in/sign-out.ts'),
      import('./sign-in/provider-sign-out.ts'),
    ]),
  fallbackRoutes: () => import('./default-pages.ts'),
}

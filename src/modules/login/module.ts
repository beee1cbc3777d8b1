import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'login',
  tag: 'Sign in',
  errors: ['enrolmentRequired'],
  settings: ['LOGIN_FORM_MODE', 'LOGIN_JSON_MODE'],
  routes: async () => {
    const [{ loginRoutes }, { throttleAdminRoutes }] = await Promise.all([
      import('./routes.ts'),
      import('./throttle-routes.ts'),
    ])
    return async (app, needs) => {
      await app.register(loginRoutes, needs)
      await app.register(throttleAdminRoutes, needs)
    }
  },
}

import type { Module } from '../../core/module/module.ts'

/**
 * One answer for operators: how each part of the service does, and which settings are in force.
 * Routes: /api/admin/status, /api/admin/settings.
 */
export const module: Module = {
  name: 'status',
  tag: 'Service',
  routes: async () => {
    const [{ createJobStates }, { statusParts }, { statusRoutes }, { settingsRoutes }] =
      await Promise.all([
        import('./job-states.ts'),
        import('./parts.ts'),
        import('./routes.ts'),
        import('./settings-routes.ts'),
      ])
    return async (app, needs) => {
      const parts = await statusParts(needs.modules, createJobStates(needs))
      await app.register(statusRoutes, { needs, parts })
      await app.register(settingsRoutes, needs)
    }
  },
}

import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'status',
  tag: 'Service',
  routes: async () => {
    const [{ createJobStates }, { statusRoutes }, { settingsRoutes }] = await Promise.all([
      import('./job-states.ts'),
      import('./routes.ts'),
      import('./settings-routes.ts'),
    ])
    return async (app, needs) => {
      const jobStates = createJobStates(needs)
      await app.register(statusRoutes, { ...needs, jobStates })
      await app.register(settingsRoutes, needs)
    }
  },
}

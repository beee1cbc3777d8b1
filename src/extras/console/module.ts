import type { Module } from '../../core/module/module.ts'
import { consoleElsewhere } from './problems.ts'

export const module: Module = {
  name: 'console',
  tag: 'Service',
  settings: () => import('./settings.ts'),
  errors: [consoleElsewhere],
  services: () => import('./services.ts'),
  routes: async () => {
    const { consoleRoutes } = await import('./routes.ts')
    return async (app, needs) => {
      if (needs.config.console.isOn) await app.register(consoleRoutes, needs)
    }
  },
}

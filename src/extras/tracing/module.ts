import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'tracing',
  settings: () => import('./settings.ts'),
  tracing: async () => (await import('./start.ts')).createTracing,
}

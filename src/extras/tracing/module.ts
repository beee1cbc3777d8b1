import type { Module } from '../../core/module/module.ts'

/** OTLP trace export, if an endpoint is set. docs/tracing.md, docs/adr/0089 */
export const module: Module = {
  name: 'tracing',
  settings: () => import('./settings.ts'),
  tracing: async ({ traces }) =>
    traces.url === undefined ? null : (await import('./packages.ts')).loadTracing(),
}

import type { Module } from '../../core/module/module.ts'

/**
 * Export of traces by OTLP, where OTEL_EXPORTER_OTLP_ENDPOINT is set. docs/tracing.md,
 * docs/adr/0055
 */
export const module: Module = {
  name: 'tracing',
  settings: () => import('./settings.ts'),
  tracing: async ({ traces }) =>
    traces.endpoint === undefined ? null : (await import('./start.ts')).createTracing,
}

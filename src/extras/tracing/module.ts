import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'tracing',
  settings: [
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'OTEL_EXPORTER_OTLP_HEADERS',
    'OTEL_SERVICE_NAME',
    'OTEL_TRACES_SAMPLER',
    'OTEL_TRACES_SAMPLER_ARG',
    'TRACES_PER_SECOND',
  ],
  tracing: async () => (await import('./start.ts')).createTracing,
}

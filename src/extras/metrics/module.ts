import type { Module } from '../../core/module/module.ts'

/**
 * /metrics exposes metrics in Prometheus and OpenMetrics format. Each module declares its
 * families. docs/adr/0054
 */
export const module: Module = {
  name: 'metrics',
  tag: 'Service',
  settings: () => import('./settings.ts'),
  checks: () => import('./checks.ts'),
  routes: async () => {
    const [
      { loadMonitoring },
      { createMetrics },
      { createRefusalCounts },
      { metricsRoutes },
      { listenBeside },
    ] = await Promise.all([
      import('../../core/module/monitoring.ts'),
      import('./metrics.ts'),
      import('./refusal-counts.ts'),
      import('./routes.ts'),
      import('./listener.ts'),
    ])
    return async (app, needs) => {
      const refusals = createRefusalCounts(needs.modules)
      app.refusalListeners.push(refusals.take)
      const monitoring = await loadMonitoring(needs.modules)
      const metrics = createMetrics(needs, { monitoring, refusals })
      await metricsRoutes(app, { metrics })
      app.addHook('onClose', async () => metrics.stop())
      listenBeside(app, needs, metrics)
    }
  },
}

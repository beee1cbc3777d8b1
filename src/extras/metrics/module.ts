import type { Module } from '../../core/module/module.ts'

export const module: Module = {
  name: 'metrics',
  tag: 'Service',
  settings: ['METRICS_ADDRESS'],
  routes: async () => {
    const [{ createMetrics }, { createRefusalCounts }, { metricsRoutes }, { listenBeside }] =
      await Promise.all([
        import('./metrics.ts'),
        import('./refusal-counts.ts'),
        import('./routes.ts'),
        import('./listener.ts'),
      ])
    return async (app, needs) => {
      const refusals = createRefusalCounts(needs)
      app.refusalListeners.push(refusals.take)
      const metrics = createMetrics({ ...needs, refusals })
      await metricsRoutes(app, { metrics })
      app.addHook('onClose', async () => metrics.stop())
      listenBeside(app, needs, metrics)
    }
  },
}

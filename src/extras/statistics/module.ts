import type { Module } from '../../core/module/module.ts'
import { tables } from './tables.ts'

/**
 * Counts of logins, refusals and requests over time, for the plots of the console. Routes:
 * /api/admin/statistics. docs/adr/0071
 */
export const module: Module = {
  name: 'statistics',
  tag: 'Service',
  tables,
  services: () => import('./services.ts'),
  monitoring: () => import('./monitoring.ts'),
  routes: () => Promise.all([import('./routes.ts'), import('./series-routes.ts')]),
  jobs: ({ statisticSeries }) => [
    { name: 'statistics', everyMs: 1000, inEachWorker: true, run: statisticSeries.run },
    { name: 'old statistics', purge: statisticSeries.purge },
  ],
}

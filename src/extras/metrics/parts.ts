import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../../core/config/load.ts'
import type { RoomParts } from '../../core/module/room.ts'
import type { Workers } from '../../core/workers/workers.ts'
import { metricsListener } from './listener.ts'
import { createMetrics, type Metrics, type MetricsDeps } from './metrics.ts'
import { createRefusalCounts } from './refusal-counts.ts'
import { metricsRoutes } from './routes.ts'

export interface Needs extends Omit<MetricsDeps, 'refusals'> {
  readonly config: Pick<Config, 'database' | 'http'>
  readonly log: Logger
  readonly workers: Pick<Workers, 'index' | 'onAsked' | 'pollOthers'>
}

export const parts: RoomParts<Needs> = {
  async routes(app, needs) {
    const refusals = createRefusalCounts(needs.measurements)
    app.refusalListeners.push(refusals.take)
    const metrics = createMetrics({ ...needs, refusals })
    await metricsRoutes(app, { metrics })
    app.addHook('onClose', async () => metrics.stop())
    listenBeside(app, needs, metrics)
  },
}

/** Opens the port of METRICS_ADDRESS before that of the service, and closes it as the last. */
function listenBeside(app: FastifyInstance, { config, log, workers }: Needs, metrics: Metrics) {
  const address = config.http.metricsAddress
  if (!address || workers.index !== 0) return
  const listener = metricsListener(metrics, address)
  app.addHook('onReady', async () => {
    const metrics_address = await listener.listen()
    log.info({ metrics_address }, 'the metrics have a port of their own')
  })
  app.addHook('onClose', () => listener.close())
}

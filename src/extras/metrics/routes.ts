import type { FastifyInstance } from 'fastify'
import { varyByAccept } from '../../core/http/pages/negotiation.ts'
import { loadMonitoring } from '../../core/module/monitoring.ts'
import type { Needs } from '../../core/module/services.ts'
import { any, client, role } from '../../core/policy/rules.ts'
import { metricsTypes } from './exposition.ts'
import { listenBeside } from './listener.ts'
import { createMetrics } from './metrics.ts'
import { preferredForm } from './preferred-form.ts'
import { createRefusalCounts } from './refusal-counts.ts'

const Exposition = {
  type: 'string',
  examples: [
    '# HELP gatehouse_workers Processes of this service that have answered.\n# TYPE gatehouse_workers gauge\ngatehouse_workers 1\n',
  ],
} as const

/**
 * For ADMIN and permitted clients of CLIENTS_FILE; METRICS_ADDRESS opens a separate port.
 * docs/monitoring.md
 */
export async function routes(app: FastifyInstance, needs: Needs): Promise<void> {
  const refusals = createRefusalCounts(needs.modules)
  app.refusalListeners.push(refusals.take)
  const monitoring = await loadMonitoring(needs.modules)
  const metrics = createMetrics(needs, { monitoring, refusals })
  app.addHook('onClose', async () => metrics.stop())
  listenBeside(app, needs, metrics)
  app.get(
    '/metrics',
    {
      config: {
        isDiagnosis: true,
        access: {
          rule: any(role('ADMIN'), client('metrics')),
          schemes: ['client', 'basic', 'session', 'bearer'],
        },
        // A rejected scrape would look like an outage under load.
        answers: {
          200: { 'text/plain': Exposition, 'application/openmetrics-text': Exposition },
        },
      },
      schema: {
        operationId: 'getMetrics',
        summary: 'The metrics, in the text form of Prometheus or of OpenMetrics',
      },
    },
    async (request, reply) => {
      const form = preferredForm(request.headers.accept)
      varyByAccept(reply)
      reply.header('content-type', metricsTypes[form])
      return metrics.text(form)
    },
  )
}

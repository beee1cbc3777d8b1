import { Count, exactly, Seconds } from '../../core/http/schemas.ts'
import { boundedCount } from '../../core/lib/bounded-count.ts'
import { Counters } from '../../core/measurements/counters.ts'
import { counted, gauge } from '../../core/measurements/family.ts'
import { type Monitoring, statusPart } from '../../core/module/monitoring.ts'

/** Results of attempts, and of deliveries ended without an attempt. */
export const deliveryResults = () =>
  new Counters(['delivered', 'deferred', 'failed', 'cancelled'].map((result) => [result]))

export const monitoring: Monitoring = {
  status: [
    statusPart({
      name: 'webhooks',
      schema: exactly({
        enabled: { ...Count, description: 'Endpoints' },
        disabled: Count,
        failed: { ...Count, description: 'Disabled because they took nothing' },
        oldest_waiting_seconds: {
          ...Seconds,
          description: 'For endpoints that answer; 0: none waits',
        },
        oldest_waiting_failing_seconds: {
          ...Seconds,
          description: 'For those that have failed since they last took something',
        },
      }),
      example: {
        enabled: 1,
        disabled: 0,
        failed: 0,
        oldest_waiting_seconds: 0,
        oldest_waiting_failing_seconds: 0,
      },
      async read({ webhookStats }) {
        const { answering, failing } = await webhookStats.oldestWaitingSeconds()
        return {
          ...(await webhookStats.endpoints()),
          oldest_waiting_seconds: answering,
          oldest_waiting_failing_seconds: failing,
        }
      },
    }),
  ],
  processMetrics: ({ measurements }) => [
    counted(
      'gatehouse_webhook_deliveries_total',
      'Messages to webhooks by result: delivered, deferred (to be tried again), failed (given up), cancelled.',
      ['result'],
      measurements.of(deliveryResults).entries(),
    ),
  ],
  serviceMetrics({ webhookStats }) {
    const read = boundedCount(async () => ({
      waiting: await webhookStats.oldestWaitingSeconds(),
      endpoints: await webhookStats.endpoints(),
    }))
    return async () => {
      const { endpoints = {}, waiting = {} } = (await read().catch(() => null)) ?? {}
      return [
        gauge(
          'gatehouse_webhook_oldest_waiting_seconds',
          'Age of the oldest event that an enabled endpoint is still to get, 0 if none waits: of endpoints that answer, and of those that have failed since they last took something.',
          Object.entries<number>(waiting).map(([kind, value]) => ({
            value,
            labels: { endpoints: kind },
          })),
        ),
        gauge(
          'gatehouse_webhook_endpoints',
          'Endpoints of webhooks by state: "failed" ones were disabled because they took nothing.',
          Object.entries<number>(endpoints).map(([name, value]) => ({
            value,
            labels: { state: name },
          })),
        ),
      ]
    }
  },
  series: [
    {
      name: 'webhooks',
      labels: ['result'],
      description: 'Messages to webhooks by result: delivered, deferred, failed, cancelled',
      counted: (measurements) => measurements.of(deliveryResults).entries(),
    },
  ],
  watchedSeries: ['webhooks|failed'],
}

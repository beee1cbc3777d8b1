import { total } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'

/** Reasons dropped under overload. */
export const refusalsLost = () => ({ count: 0 })

export const monitoring: Monitoring = {
  processMetrics: ({ measurements }) => [
    total(
      'gatehouse_refusals_unexplained_total',
      'Refusals whose reason was not kept for `gatehouse explain`, because too many came at once.',
      measurements.of(refusalsLost).count,
    ),
  ],
}

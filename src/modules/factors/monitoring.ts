import { eventTotal } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'

export const monitoring: Monitoring = {
  processMetrics: ({ measurements }) => [
    eventTotal(
      'gatehouse_second_factor_failures_total',
      'Wrong codes and recovery codes.',
      measurements,
      'mfa_fail',
    ),
  ],
}

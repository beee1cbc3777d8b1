import { gauge, total } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'

/** Unrecorded events without a database change. */
const recordsLost = () => ({ count: 0 })

export const monitoring: Monitoring = {
  count(measurements, on) {
    on.events(['audit_records_lost'], ({ payload }) => {
      measurements.of(recordsLost).count += Number(payload.count)
    })
  },
  processMetrics({ auditProof, measurements }, worker) {
    const { sinks, uncoveredMs } = auditProof.lag()
    const lags = [
      { sink: 'checkpoint', ms: uncoveredMs },
      ...sinks.map(({ name, unsentMs }) => ({ sink: withoutFolder(name), ms: unsentMs })),
    ]
    return [
      gauge(
        'gatehouse_audit_lag_seconds',
        'Age of the oldest record of the audit log that no checkpoint covers ("checkpoint"), or that a sink outside lacks.',
        lags.map(({ sink, ms }) => ({ value: ms / 1000, labels: { worker, sink } })),
        'max',
      ),
      total(
        'gatehouse_audit_records_lost_total',
        'Events without a change that were not recorded, because too many waited for the database.',
        measurements.of(recordsLost).count,
      ),
    ]
  },
}

/** `file:/data/audit.jsonl` to `file:audit.jsonl`. */
function withoutFolder(name: string): string {
  return name.replace(/^file:.*\//, 'file:')
}

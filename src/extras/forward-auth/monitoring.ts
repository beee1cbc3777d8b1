import { counter, gauge } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'
import { forwardDecisions, rulesFile } from './measurements.ts'

export const monitoring: Monitoring = {
  // Workers may differ for a second after a change.
  processMetrics({ measurements }) {
    const state = measurements.of(rulesFile).read?.()
    return [
      counter(
        'gatehouse_forward_decisions_total',
        'Requests to applications about which a proxy asked, by answer: "bypass" is allowed without a look at the caller, "sign_in" sends a person to the sign-in.',
        Object.entries(measurements.of(forwardDecisions)).map(([answer, value]) => ({
          value,
          labels: { answer },
        })),
      ),
      gauge(
        'gatehouse_forward_rules',
        'Rules of FORWARD_AUTH_FILE in force.',
        state ? [{ value: state.rules }] : [],
        'max',
      ),
      gauge(
        'gatehouse_forward_file_broken',
        'Whether FORWARD_AUTH_FILE has mistakes (1), so that the rules before stay in force, or not (0).',
        state ? [{ value: state.isBroken ? 1 : 0 }] : [],
        'max',
      ),
    ]
  },
}

import { errorNameOf } from '../../core/http/declared-error.ts'
import { Counters } from '../../core/measurements/counters.ts'
import { counted } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'

const throttled = () => new Counters([['login'], ['requests']])

/** The limit that refused, by error. */
const limits: Readonly<Record<string, string>> = {
  tooManyLoginAttempts: 'login',
  tooManyRequests: 'requests',
}
const keys = Object.values(limits).map((limit) => `throttled|${limit}`)

export const monitoring: Monitoring = {
  count(measurements, on) {
    on.refusals((_, { row }) => {
      const limit = limits[errorNameOf(row)]
      if (limit !== undefined) measurements.of(throttled).add([limit])
    })
  },
  processMetrics: ({ measurements }) => [
    counted(
      'gatehouse_throttled_total',
      'Requests that a rate limit refused: of logins and clients ("login"), or the general one ("requests").',
      ['limit'],
      measurements.of(throttled).entries(),
    ),
  ],
  series: [
    {
      name: 'throttled',
      labels: ['limit'],
      description:
        'Requests that a rate limit refused: of logins (login), or the general one (requests)',
      counted: (measurements) => measurements.of(throttled).entries(),
    },
  ],
  usualSeries: keys,
  watchedSeries: keys,
}

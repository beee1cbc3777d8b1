import { boundedCount } from '../../core/lib/bounded-count.ts'
import { Counters } from '../../core/measurements/counters.ts'
import { counted, eventTotal, gauge } from '../../core/measurements/family.ts'
import type { Monitoring } from '../../core/module/monitoring.ts'

const sessionsEnded = () =>
  new Counters(
    ['logout', 'owner', 'everywhere', 'administrator', 'limit', 'replaced'].map((reason) => [
      reason,
    ]),
  )

const started = 'session_created'

export const monitoring: Monitoring = {
  count(measurements, on) {
    on.events(['session_ended'], ({ payload }) =>
      measurements.of(sessionsEnded).add([String(payload.reason)], Number(payload.count ?? 1)),
    )
  },
  processMetrics: ({ measurements }) => [
    eventTotal('gatehouse_sessions_started_total', 'Sessions that began.', measurements, started),
    counted(
      'gatehouse_sessions_ended_total',
      'Sessions that were ended, by reason; those that expired are not counted.',
      ['reason'],
      measurements.of(sessionsEnded).entries(),
    ),
  ],
  serviceMetrics({ sessions }) {
    const count = boundedCount(() => sessions.count())
    return async ({ fromDatabase }) => {
      const live = await fromDatabase(count)
      return [
        gauge(
          'gatehouse_sessions_live',
          'Sessions that have neither ended nor expired, of all nodes on this database.',
          live === null ? [] : [{ value: live }],
        ),
      ]
    }
  },
  series: [
    {
      name: 'sessions_started',
      labels: [],
      description: 'Sessions that began',
      counted: ({ events }) => [{ values: [], count: events.of([started]) }],
    },
  ],
  usualSeries: ['sessions_started'],
}

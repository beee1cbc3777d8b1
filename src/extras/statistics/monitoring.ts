import { Count, exactly, named, Text } from '../../core/http/schemas.ts'
import type { Counted } from '../../core/measurements/counters.ts'
import type { RequestMeasurements } from '../../core/measurements/requests.ts'
import { aborted } from '../../core/measurements/requests.ts'
import { type Monitoring, statusPart } from '../../core/module/monitoring.ts'
import { Labels } from './series-schemas.ts'

const UnusualSeries = named(
  'UnusualSeries',
  exactly({
    name: { ...Text, description: 'A series of /api/admin/statistics/series' },
    labels: Labels,
    count: { ...Count, description: 'In the last 60 minutes' },
    usual: {
      type: 'number',
      minimum: 0,
      description: 'The median of the same hour of the days before',
    },
    days: { ...Count, description: 'How many days were compared' },
  }),
  {
    name: 'logins',
    labels: { method: 'password', result: 'refused' },
    count: 240,
    usual: 11,
    days: 14,
  },
)

export const monitoring: Monitoring = {
  status: [
    statusPart({
      name: 'unusual',
      schema: { type: 'array', items: UnusualSeries },
      description:
        'What has happened in the last hour at least 20 times, and more than three times as often as usual at this time of the day. Empty for the first three days',
      example: [],
      read: ({ statisticSeries }) => statisticSeries.unusual(),
    }),
  ],
  series: [
    {
      name: 'requests',
      labels: ['status'],
      description:
        'Requests by class of their answer: 1xx to 5xx, or aborted, if the client ended before it. Without those of /health/',
      counted: ({ requests }) => requestsByClass(requests),
    },
    {
      name: 'refusals',
      labels: ['guard'],
      description: 'Refused requests by what has refused: the guards of docs/explain.md',
      counted: () => [], // the collector counts them, because it looks the guards up
    },
    {
      name: 'lost_counts',
      labels: [],
      description:
        'What could not be stored while the database was away, at the beginning of its hour: the other series lack so much',
      counted: () => [], // as well
    },
  ],
  watchedSeries: ['requests|5xx'],
}

/** Requests by the first digit of the status of their answer, or as aborted. */
export function requestsByClass(requests: RequestMeasurements): readonly Counted[] {
  const classes = [0, 0, 0, 0, 0, 0] // at 0, those that were aborted
  const add = (status: number | typeof aborted, count: number) => {
    const index = status === aborted ? 0 : Math.floor(status / 100)
    classes[index] = (classes[index] ?? 0) + count
  }
  for (const { values, count } of requests.unrouted.entries()) add(Number(values[0]), count)
  for (const [route, , { statuses }] of requests.entries()) {
    if (route.startsWith('/health/')) continue // probes would hide the rest
    for (const [status, { count }] of statuses) add(status, count)
  }
  return classes.map((count, index) => ({ values: [index === 0 ? aborted : `${index}xx`], count }))
}

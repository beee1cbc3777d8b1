import { textIn } from '../../src/core/http/bodies/bodies.ts'
import { Count } from '../../src/core/http/schemas.ts'
import { Counters } from '../../src/core/measurements/counters.ts'
import { counted } from '../../src/core/measurements/family.ts'
import { type Monitoring, statusPart } from '../../src/core/module/monitoring.ts'
import { methodsByAmr, refusedMethods } from '../../src/modules/login/refused-logins.ts'
import { noteWritten } from './events.ts'

/** How often notes were written in this process. */
const written = () => new Counters([[]])

export const monitoring: Monitoring = {
  status: [
    statusPart({
      name: 'notes',
      schema: {
        type: 'object',
        required: ['total'],
        properties: { total: Count },
        additionalProperties: false,
      },
      example: { total: 5 },
      read: async ({ notes }) => ({ total: await notes.count() }),
    }),
  ],
  count(measurements, on) {
    measurements.of(methodsByAmr).set('x-badge', 'badge')
    measurements.of(refusedMethods).push(({ body, routeOptions }) => {
      const isForm = routeOptions.url === '/signin' && textIn(body, 'by') === 'badge'
      return isForm ? 'badge' : null
    })
    on.events([noteWritten.name], () => measurements.of(written).add([]))
  },
  processMetrics: ({ measurements }) => [
    counted(
      'notes_written_total',
      'Notes made or changed.',
      [],
      measurements.of(written).entries(),
    ),
  ],
  series: [
    {
      name: 'notes_written',
      labels: [],
      description: 'Notes made or changed',
      counted: (measurements) => measurements.of(written).entries(),
    },
  ],
}

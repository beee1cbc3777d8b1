import { exactly, Text, TextOrNull } from '../../core/http/schemas.ts'
import { type Monitoring, statusPart } from '../../core/module/monitoring.ts'

export const monitoring: Monitoring = {
  readinessWarnings: ['clock_set_back'],
  status: [
    statusPart({
      name: 'readiness',
      schema: exactly({
        ready: { type: 'boolean' },
        reason: {
          ...TextOrNull,
          description:
            'Why the node that answers should get no requests: docs/health.md; null: it can serve',
        },
        warnings: {
          type: 'array',
          items: Text,
          description: 'What an operator should look at although it can serve: docs/health.md',
        },
      }),
      example: { ready: true, reason: null, warnings: [] },
      async read({ readiness }) {
        const reason = await readiness.check()
        return { ready: reason === null, reason, warnings: await readiness.warnings() }
      },
    }),
  ],
}

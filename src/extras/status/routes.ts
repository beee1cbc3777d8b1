import { hostname } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { packageVersion } from '../../core/config/version.ts'
import { isoTime } from '../../core/lib/clock.ts'
import type { Needs } from '../../core/module/services.ts'
import { role } from '../../core/policy/rules.ts'
import { createJobStates } from './job-states.ts'
import { statusParts } from './parts.ts'
import { readParts } from './read-parts.ts'
import { adminStatus } from './schemas.ts'

export async function routes(app: FastifyInstance, needs: Needs): Promise<void> {
  const { clock, config, modules, workers } = needs
  const parts = await statusParts(modules, createJobStates(needs))
  const startedAt = clock.now()
  let reading: ReturnType<typeof readParts> | undefined

  app.get(
    '/api/admin/status',
    {
      config: { isDiagnosis: true, access: { rule: role('ADMIN') } },
      schema: {
        operationId: 'getAdminStatus',
        summary: 'What an operator looks at first: does it work, what waits, what is unusual',
        response: { 200: adminStatus(parts) },
      },
    },
    async () => {
      // Parallel callers share one reading.
      reading ??= readParts(parts, needs).finally(() => {
        reading = undefined
      })
      const read = await reading
      const now = clock.now()
      return {
        at: isoTime(now),
        version: packageVersion(),
        node_version: process.versions.node,
        database: config.database.postgres ? 'postgresql' : 'sqlite',
        host: hostname(),
        base_url: config.baseUrl,
        started_at: isoTime(startedAt),
        uptime_seconds: Math.max(0, Math.floor((now - startedAt) / 1000)),
        workers: workers.count,
        ...read,
      }
    },
  )
}

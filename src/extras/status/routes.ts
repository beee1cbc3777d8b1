import { hostname } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { packageVersion } from '../../core/config/version.ts'
import type { SchemaTypes } from '../../core/http/schemas.ts'
import { isoTime } from '../../core/lib/clock.ts'
import { role } from '../../core/policy/rules.ts'
import { readParts, type StatusDeps } from './read-parts.ts'
import { AdminStatus } from './schemas.ts'

/** Status module: GET /api/admin/status, what an operator looks at first, and GET /api/admin/settings. */
export type StatusRoutesOptions = StatusDeps

export async function statusRoutes(
  instance: FastifyInstance,
  deps: StatusRoutesOptions,
): Promise<void> {
  const { clock, config, workers } = deps
  const startedAt = clock.now()
  let reading: ReturnType<typeof readParts> | undefined

  instance.withTypeProvider<SchemaTypes>().get(
    '/api/admin/status',
    {
      config: { access: { rule: role('ADMIN') } },
      schema: {
        operationId: 'getAdminStatus',
        summary: 'What an operator looks at first: does it work, what waits, what is unusual',
        response: { 200: AdminStatus },
      },
    },
    async () => {
      // Callers that ask at the same time share one reading.
      reading ??= readParts(deps).finally(() => {
        reading = undefined
      })
      const parts = await reading
      const now = clock.now()
      return {
        at: isoTime(now),
        version: packageVersion(),
        node_version: process.versions.node,
        database: config.database.postgres ? ('postgresql' as const) : ('sqlite' as const),
        host: hostname(),
        base_url: config.baseUrl,
        started_at: isoTime(startedAt),
        uptime_seconds: Math.max(0, Math.floor((now - startedAt) / 1000)),
        workers: workers.count,
        ...parts,
      }
    },
  )
}

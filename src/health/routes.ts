import type { FastifyInstance } from 'fastify'
import type { Database } from '../database/database.ts'
import { untilRead } from '../http/connections/draining.ts'
import { named, type SchemaTypes, Text } from '../http/schemas.ts'
import { ApiError } from '../kernel/errors.ts'
import { anyone } from '../policy/rules.ts'

/**
 * Health room: GET /health/live (the process runs), GET /health/ready (the database answers and no
 * shutdown has begun) and GET /api/public/status.
 */
export interface HealthRoutesOptions {
  readonly db: Database
  /** @throws DatabaseUnavailable as `Connected.assertDatabaseServes` */
  readonly assertDatabaseServes: () => Promise<void>
}

const Status = named(
  'Health',
  {
    type: 'object',
    required: ['status'],
    properties: { status: Text },
    additionalProperties: false,
  },
  { status: 'live' },
)

const PublicStatus = named(
  'ServiceStatus',
  {
    type: 'object',
    required: ['status', 'service', 'versions'],
    properties: { status: Text, service: Text, versions: { type: 'array', items: Text } },
    additionalProperties: false,
  },
  { status: 'ok', service: 'gatehouse', versions: ['v1', 'v2'] },
)

export async function healthRoutes(
  instance: FastifyInstance,
  { db, assertDatabaseServes }: HealthRoutesOptions,
): Promise<void> {
  const app = instance.withTypeProvider<SchemaTypes>()
  const access = { rule: anyone }
  let stopping = false
  instance.addHook('preClose', async () => {
    stopping = true
    await untilRead(instance.server)
  })

  app.get(
    '/health/live',
    {
      config: { access, rateLimit: 'exempt' },
      schema: {
        operationId: 'getLiveness',
        summary: 'The process runs',
        response: { 200: Status },
      },
    },
    async () => ({ status: 'live' }),
  )

  app.get(
    '/health/ready',
    {
      config: {
        access,
        rateLimit: 'exempt',
        errors: ['serviceUnavailable'],
        examples: { answer: { status: 'ready' } },
      },
      schema: {
        operationId: 'getReadiness',
        summary: 'The service can serve',
        response: { 200: Status },
      },
    },
    async () => {
      if (stopping) {
        const reason = { code: 'shutting_down' } as const
        throw new ApiError('serviceUnavailable', { cause: 'shutting down', reason })
      }
      await assertDatabaseServes()
      await db.selectFrom('schema_version').select('version').limit(1).execute()
      return { status: 'ready' }
    },
  )

  app.get(
    '/api/public/status',
    {
      config: { access },
      schema: {
        operationId: 'getStatus',
        summary: 'What answers here',
        response: { 200: PublicStatus },
      },
    },
    async () => ({ status: 'ok', service: 'gatehouse', versions: ['v1', 'v2'] }),
  )
}

import { ApiError } from '../../core/errors.ts'
import { untilRead } from '../../core/http/connections/draining.ts'
import { type App, exactly, named, nameOf, Text } from '../../core/http/schemas.ts'
import { loadMonitoring } from '../../core/module/monitoring.ts'
import type { Needs } from '../../core/module/services.ts'
import { anyone } from '../../core/policy/rules.ts'

const retrySeconds = 1

const Status = named('Health', exactly({ status: Text }), { status: 'live' })

const ready = (warnings: readonly string[]) =>
  named(
    'Readiness',
    {
      type: 'object',
      required: ['status'],
      properties: {
        status: Text,
        warnings: {
          type: 'array',
          items: nameOf(warnings),
          description: 'What an operator should look at; absent if there is nothing',
        },
      },
      additionalProperties: false,
    },
    { status: 'ready' },
  )

const PublicStatus = named(
  'ServiceStatus',
  exactly({ status: Text, service: Text, versions: { type: 'array', items: Text } }),
  { status: 'ok', service: 'gatehouse', versions: ['v1', 'v2'] },
)

/** Responses have no reasons; the log has. */
export async function routes(app: App, { modules, readiness }: Needs): Promise<void> {
  const warnings = (await loadMonitoring(modules)).flatMap((own) => own.readinessWarnings ?? [])
  const access = { rule: anyone }
  app.addHook('preClose', async () => {
    readiness.stopping()
    await untilRead(app.server)
  })

  app.get(
    '/health/live',
    {
      config: { isDiagnosis: true, access, rateLimit: 'exempt' },
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
        isDiagnosis: true,
        access,
        rateLimit: 'exempt',
        errors: ['serviceUnavailable'],
      },
      schema: {
        operationId: 'getReadiness',
        summary: 'The service can serve',
        response: { 200: ready(warnings) },
      },
    },
    async () => {
      const cause = await readiness.check()
      if (cause === null) {
        const found = await readiness.warnings()
        return { status: 'ready', ...(found.length > 0 && { warnings: found }) }
      }
      // No cause: probes repeat, and `readiness` has logged the change.
      if (cause === 'stopping') {
        throw new ApiError('serviceUnavailable', { reason: { code: 'shutting_down' } })
      }
      const reason = { code: 'not_ready', facts: { cause } } as const
      throw new ApiError('serviceUnavailable', { retryAfterSeconds: retrySeconds, reason })
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

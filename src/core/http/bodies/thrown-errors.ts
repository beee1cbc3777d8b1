import type { FastifyError, FastifyRequest, FastifySchemaValidationError } from 'fastify'
import { DatabaseUnavailable } from '../../database/errors.ts'
import { ApiError, type Detail, type ErrorName, type RefusalReason } from '../../errors.ts'
import { allFaults } from './faults.ts'
import { describeValidation } from './validation.ts'

/** Fastify's own errors. */
const byFastifyCode: Readonly<
  Record<string, { readonly row: ErrorName; readonly reason: (limit: number) => RefusalReason }>
> = {
  FST_ERR_CTP_INVALID_JSON_BODY: invalid('body_not_json'),
  FST_ERR_CTP_EMPTY_JSON_BODY: invalid('body_empty'),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: invalid('body_of_other_type'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    row: 'badRequest',
    reason: () => ({ code: 'body_length_invalid' }),
  },
  FST_ERR_CTP_BODY_TOO_LARGE: {
    row: 'bodyTooLarge',
    reason: (limit_bytes) => ({ code: 'body_too_large', facts: { limit_bytes } }),
  },
  FST_ERR_BAD_URL: { row: 'badRequest', reason: () => ({ code: 'bad_url' }) },
}

function invalid(code: 'body_not_json' | 'body_empty' | 'body_of_other_type') {
  return { row: 'invalidBody', reason: () => ({ code }) } as const
}

const unavailableRetrySeconds = 1

export function asApiError(thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (isOfGoneClient(thrown, request)) {
    return new ApiError('badRequest', { reason: { code: 'client_gone' } })
  }
  if (thrown instanceof DatabaseUnavailable) {
    return new ApiError('serviceUnavailable', {
      cause: thrown,
      retryAfterSeconds: unavailableRetrySeconds,
      reason: { code: 'database_unavailable' },
    })
  }
  const { code, validation, validationContext } = thrown as Partial<FastifyError>
  if (validation && validationContext === 'body') return refusedBody(validation, request)
  const known = code === undefined ? undefined : byFastifyCode[code]
  if (known) {
    const reason = known.reason(request.routeOptions.bodyLimit)
    return new ApiError(known.row, { cause: thrown, reason })
  }
  const reason = { code: 'unexpected_failure', facts: { error: nameOf(thrown) } } as const
  return new ApiError('internal', { cause: thrown, reason })
}

/** Whether the client closed the connection before the body was read. */
function isOfGoneClient(thrown: unknown, { raw }: FastifyRequest): boolean {
  return raw.destroyed && (!raw.complete || raw.errored === thrown)
}

const maxFields = 20

function refusedBody(errors: FastifySchemaValidationError[], request: FastifyRequest): ApiError {
  if (request.body === undefined) {
    return new ApiError('invalidBody', { reason: { code: 'body_empty' } })
  }
  const details: Detail[] = allFaults(request, describeValidation(errors))
  const required = request.routeOptions.config.required
  const isMissing =
    required &&
    errors.some(({ keyword, instancePath, params }) => {
      const field = keyword === 'required' ? params.missingProperty : instancePath.slice(1)
      return required.fields.includes(String(field)) && lacks(request.body, String(field))
    })
  const facts = { fields: details.slice(0, maxFields).map(({ path }) => path.join('.')) }
  return isMissing
    ? new ApiError(required.error, { details, reason: { code: 'fields_absent', facts } })
    : new ApiError('validationFailed', { details, reason: { code: 'schema_violated', facts } })
}

/** Absent or null: spec section 7 treats both alike. */
function lacks(body: unknown, field: string): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    !Array.isArray(body) &&
    (body as Record<string, unknown>)[field] == null
  )
}

/** Only the class name: the message may contain caller input. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown
}

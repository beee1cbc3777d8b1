import type {
  FastifyError,
  FastifyReply,
  FastifyRequest,
  FastifySchemaValidationError,
} from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import { DatabaseUnavailable } from '../../database/errors.ts'
import type { Clock } from '../../kernel/clock.ts'
import { ApiError, type Detail, type ErrorName } from '../../kernel/errors.ts'
import { describeValidation } from '../bodies/validation.ts'
import { serveNoMore } from '../connections/connections.ts'
import { contentTypes } from '../media-types.ts'
import { prefersPage, varyByAccept } from '../pages/negotiation.ts'
import { sendPage } from '../pages/page.ts'

/** The errors of requests that Fastify itself refuses, by its codes. */
const byFastifyCode: Readonly<Record<string, ErrorName>> = {
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalidBody',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalidBody',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'invalidBody',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'badRequest',
  FST_ERR_CTP_BODY_TOO_LARGE: 'bodyTooLarge',
  FST_ERR_BAD_URL: 'badRequest',
}

const unavailableRetrySeconds = 1

// At most one log line in this time is about requests that are refused without a failure.
const plannedLineMs = 10_000

export interface ErrorHandlerOptions {
  readonly config: Pick<Config, 'environment'>
  readonly clock: Clock
}

/** Hears of a refusal or failure, with the error that is answered, before the answer is sent. */
export type RefusalListener = (request: FastifyRequest, error: ApiError) => void

declare module 'fastify' {
  interface FastifyInstance {
    /** Rooms add theirs; what one throws is logged, and the answer stays. */
    readonly refusalListeners: RefusalListener[]
  }
}

/** Turns everything that is thrown into the answers of spec section 7. */
export const errorHandler = plugin<ErrorHandlerOptions>(async (app, { clock, config }) => {
  app.decorate('refusalListeners', [])
  let planned = { refused: 0, toldAt: Number.NEGATIVE_INFINITY }
  app.setErrorHandler((thrown: unknown, request, reply) => {
    const error = reworded(asApiError(thrown, request), request)
    if (isPlanned(error)) {
      if (error.cause !== undefined) tellOfRefusal(request, error.cause)
    } else if (error.status >= 500) {
      request.log.error({ request_id: request.id, err: error.cause ?? thrown }, error.message)
    }
    if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
    if (error.challenge !== undefined) reply.header('www-authenticate', error.challenge)
    // After a request that is not proper HTTP, no other is served on the same connection.
    if (error.row === 'badRequest') {
      serveNoMore(request.raw.socket)
      reply.header('connection', 'close')
    }
    tellListeners(request, error)
    reply.status(error.status)
    if (error.status === 401 && request.routeOptions.config.access?.silent) {
      return reply.header('content-length', 0).send()
    }
    const { errorPage } = request.routeOptions.config
    if (errorPage) {
      varyByAccept(reply)
      if (prefersPage(request)) return sendPage(reply, errorPage(error, request))
    }
    const told = config.environment === 'development' && error.row === 'internal'
    return sendError(reply, error, told ? messageOf(error.cause) : undefined)
  })
  app.setNotFoundHandler(() => {
    throw new ApiError('routeNotFound')
  })

  function tellListeners(request: FastifyRequest, error: ApiError): void {
    for (const listener of app.refusalListeners) {
      try {
        listener(request, error)
      } catch (failure) {
        request.log.error({ request_id: request.id, err: failure }, 'a refusal was not told')
      }
    }
  }

  /** Logs refusals as one line per `plannedLineMs`, with their number. */
  function tellOfRefusal(request: FastifyRequest, reason: unknown): void {
    planned.refused += 1
    const now = clock.now()
    if (now - planned.toldAt < plannedLineMs) return
    const { refused } = planned
    planned = { refused: 0, toldAt: now }
    request.log.warn({ request_id: request.id, reason, refused }, 'refused as planned')
  }
})

/** Whether a 503 keeps the service within its limits, or is sent while it stops: no failure. */
function isPlanned({ row, cause }: ApiError): boolean {
  return row === 'serviceUnavailable' && !(cause instanceof Error)
}

function sendError(reply: FastifyReply, error: ApiError, message: string | undefined) {
  // Without the schema of the route, which describes a success.
  const { details, extra } = error
  reply.header('content-type', contentTypes.json)
  return reply.serializer(JSON.stringify).send({
    error: error.message,
    ...(details && { details }),
    ...extra,
    ...(message !== undefined && { message }),
  })
}

function asApiError(thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown
  // The client has closed the connection in the middle of its body and does not read the answer.
  if (request.raw.destroyed && !request.raw.complete) return new ApiError('badRequest')
  if (thrown instanceof DatabaseUnavailable) {
    return new ApiError('serviceUnavailable', {
      cause: thrown,
      retryAfterSeconds: unavailableRetrySeconds,
    })
  }
  const { code, validation, validationContext } = thrown as Partial<FastifyError>
  if (validation && validationContext === 'body') return refusedBody(validation, request)
  const row = code === undefined ? undefined : byFastifyCode[code]
  return new ApiError(row ?? 'internal', { cause: thrown })
}

/** The error in the words that the route declares; without `details`, which are ours. */
function reworded(error: ApiError, { routeOptions }: FastifyRequest): ApiError {
  const { row, cause, challenge, reason, retryAfterSeconds } = error
  const word = typeof row === 'string' ? routeOptions.config.rewords?.[row] : undefined
  if (word === undefined) return error
  return new ApiError(word, {
    cause,
    challenge,
    reason,
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

function refusedBody(errors: FastifySchemaValidationError[], request: FastifyRequest): ApiError {
  if (request.body === undefined) return new ApiError('invalidBody')
  const details: Detail[] = describeValidation(errors)
  const required = request.routeOptions.config.required
  const isMissing =
    required &&
    errors.some(({ keyword, instancePath, params }) => {
      const field = keyword === 'required' ? params.missingProperty : instancePath.slice(1)
      return required.fields.includes(String(field)) && lacks(request.body, String(field))
    })
  return new ApiError(isMissing ? required.error : 'validationFailed', { details })
}

/** Absent or null: the "basic check" of spec section 7 does not tell them apart. */
function lacks(body: unknown, field: string): boolean {
  return (
    typeof body === 'object' &&
    body !== null &&
    !Array.isArray(body) &&
    (body as Record<string, unknown>)[field] == null // any object may be read by name
  )
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

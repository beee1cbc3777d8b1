import type { FastifyReply, FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import { ApiError, problemOf, shownDetails } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { asApiError } from '../bodies/thrown-errors.ts'
import { serveNoMore } from '../connections/connections.ts'
import { reworded } from '../declared-error.ts'
import { contentTypes } from '../media-types.ts'
import { sendErrorPage } from '../pages/error-page.ts'
import { apiLanguage } from '../pages/language.ts'
import { prefersPage, varyBy, varyByAccept } from '../pages/negotiation.ts'
import { unknownPage } from '../pages/refusal.ts'

// Interval of log lines about planned rejections.
const plannedLineMs = 10_000

export interface ErrorHandlerOptions {
  readonly config: Pick<Config, 'environment'>
  readonly clock: Clock
}

/** Called before the response is sent. */
export type RefusalListener = (request: FastifyRequest, error: ApiError) => void

declare module 'fastify' {
  interface FastifyInstance {
    /** Module listeners; their errors are logged only. */
    readonly refusalListeners: RefusalListener[]
  }
}

/** Spec section 7. */
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
    // Malformed HTTP closes the connection.
    if (error.row === 'badRequest') {
      serveNoMore(request.raw.socket)
      reply.header('connection', 'close')
    }
    tellListeners(request, error)
    reply.status(error.status)
    if (error.status === 401 && request.routeOptions.config.access?.silent) {
      return reply.header('content-length', 0).send()
    }
    const told = config.environment === 'development' && error.row === 'internal'
    const plain = () => sendError(reply, error, told ? messageOf(error.cause) : undefined)
    const { errorPage } = request.routeOptions.config
    if (errorPage) varyByAccept(reply)
    const page = errorPage
      ? prefersPage(request) && errorPage(error, request)
      : unknownPage(error, request, reply)
    return page ? sendErrorPage(reply, request, page, plain) : plain()
  })
  app.setNotFoundHandler(() => {
    throw new ApiError('routeNotFound', { reason: { code: 'unknown_route' } })
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

  /** One line with a count per `plannedLineMs`. */
  function tellOfRefusal(request: FastifyRequest, reason: unknown): void {
    planned.refused += 1
    const now = clock.now()
    if (now - planned.toldAt < plannedLineMs) return
    const { refused } = planned
    planned = { refused: 0, toldAt: now }
    request.log.warn({ request_id: request.id, reason, refused }, 'refused as planned')
  }
})

/** An expected 503: limits, settings or shutdown. */
function isPlanned({ row, cause }: ApiError): boolean {
  if (problemOf(row).isUnconfigured) return true // logged at start, and anyone can trigger it
  return row === 'serviceUnavailable' && !(cause instanceof Error)
}

function sendError(reply: FastifyReply, error: ApiError, message: string | undefined) {
  // The route schema describes successes.
  const { details, extra } = error
  if (details) varyBy(reply, 'Accept-Language')
  reply.header('content-type', contentTypes.json)
  return reply.serializer(JSON.stringify).send({
    error: error.message,
    ...(details && { details: shownDetails(details, apiLanguage(reply.request)) }),
    ...extra,
    ...(message !== undefined && { message }),
  })
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

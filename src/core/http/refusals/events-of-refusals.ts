import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import { type ApiError, problemOf } from '../../errors.ts'
import { inContextOf } from '../../events/context.ts'
import type { Events } from '../../events/events.ts'
import { decide } from '../../policy/decide.ts'
import type { Reason } from '../../reasons/types.ts'
import { errorNameOf } from '../declared-error.ts'
import {
  authorizationFail,
  csrfFail,
  directReference,
  foreignPage,
  inputFail,
  sequenceFail,
  sessionUseAfterExpire,
  tokenFail,
  tokenReuse,
} from '../events.ts'
import { isCrossSite, isForeignPage } from '../routes/csrf.ts'
import { isSafe } from '../routes/declaration.ts'
import { isLogged } from './logged.ts'

export interface EventsOfRefusalsOptions {
  readonly config: Pick<Config, 'baseUrl' | 'http'>
  readonly events: Pick<Events, 'emit'>
  readonly reasons: ReadonlyMap<string, Pick<Reason, 'event'>>
}

const events = { authorizationFail, csrfFail, inputFail, sequenceFail, tokenFail }

/** Emits events for rejections not logged elsewhere. */
export const eventsOfRefusals = plugin<EventsOfRefusalsOptions>(async (app, options) => {
  app.refusalListeners.push((request, error) => {
    const { row, reason, details } = error
    if (isLogged(request) || isGone(request, error)) return
    const named = options.reasons.get(reason?.code)?.event ?? problemOf(row).event
    if (named === undefined) return
    if (named === 'sessionUseAfterExpire' || named === 'tokenReuse') {
      return inContextOf(request, () => emitOfEnded(named, error))
    }
    const event = events[named]
    const type = event === authorizationFail ? denialOf(request, options.config) : event
    const fields = {
      error: errorNameOf(row),
      ...(reason && { reason: reason.code }),
      route: request.is404 ? null : (request.routeOptions.url ?? null),
    }
    // Body parsers may lose the async context.
    inContextOf(request, () => {
      if (type !== inputFail || !details) options.events.emit(type, fields)
      else options.events.emit(inputFail, { ...fields, fields: pathsOf(details) })
    })
  })

  /** A token or session used after its end. */
  function emitOfEnded(
    event: 'sessionUseAfterExpire' | 'tokenReuse',
    { row, reason: { facts } }: ApiError,
  ): void {
    const { user_id: id } = { user_id: null, ...facts }
    const user_id = typeof id === 'number' ? id : null
    const kind = row === 'invalidRefreshToken' ? 'refresh' : 'access'
    if (event === 'tokenReuse') options.events.emit(tokenReuse, { user_id, kind })
    else options.events.emit(sessionUseAfterExpire, { user_id })
  }
})

/** The client disconnected; nothing was rejected. */
function isGone({ raw }: FastifyRequest, { row }: ApiError): boolean {
  return row === 'badRequest' && raw.destroyed && !raw.complete
}

/** Cause of a 403: foreign origin, another user's resource, or the rule. */
function denialOf(request: FastifyRequest, config: EventsOfRefusalsOptions['config']) {
  if (isOfForeignPage(request, config)) return foreignPage
  return isOfAnother(request) ? directReference : authorizationFail
}

function isOfForeignPage(
  request: FastifyRequest,
  config: EventsOfRefusalsOptions['config'],
): boolean {
  const { csrf, accepted = [] } = request.routeOptions.config
  if (csrf === 'foreignPage') return isForeignPage(request, config)
  const scheme = request.principal?.credential.scheme
  const isAmbient = accepted.some((one) => one.scheme === scheme && one.csrf === 'sameSite')
  return isAmbient && !isSafe(request.method) && isCrossSite(request, config)
}

/** Only the owner would be allowed. */
function isOfAnother({ principal, resource, routeOptions }: FastifyRequest): boolean {
  const rule = routeOptions.config.access?.rule
  const { facts } = resource ?? {}
  if (!principal || !rule || !facts || facts.ownerId === principal.subject) return false
  const asOwner = decide(rule, principal, { ...facts, ownerId: principal.subject })
  const isLockedAlone = decide(rule, principal, { ...facts, locked: false }) === true
  return asOwner === true && !isLockedAlone
}

const maxFields = 20

function pathsOf(details: NonNullable<ApiError['details']>): string[] {
  return details.slice(0, maxFields).map(({ path }) => path.join('.').slice(0, 100))
}

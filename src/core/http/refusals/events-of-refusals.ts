import type { FastifyRequest } from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import type { ApiError, ErrorName, RefusalReason } from '../../errors.ts'
import { inContextOf } from '../../events/context.ts'
import type { Events } from '../../events/events.ts'
import { decide } from '../../policy/decide.ts'
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
import { isSafe } from '../routes/declaration.ts'
import { isCrossSite, isForeignPage } from '../routes/origin.ts'
import { isLogged } from './logged.ts'

export interface EventsOfRefusalsOptions {
  readonly config: Pick<Config, 'baseUrl' | 'http'>
  readonly events: Pick<Events, 'emit'>
}

type RefusalEvent = typeof authorizationFail

/**
 * The event of each error that tells of a refusal. The others have none: they are told where their
 * cause is known (a wrong password, a full rate limit), or they are no matter of security (a path or
 * a row that is not there, a request without credentials). docs/adr/0052
 */
const eventOf: Partial<Record<ErrorName, RefusalEvent>> = {
  accessDenied: authorizationFail,
  unauthorizedClient: authorizationFail,
  csrfTokenInvalid: csrfFail,
  badRequest: inputFail,
  bodyTooLarge: inputFail,
  invalidBody: inputFail,
  invalidRequest: inputFail,
  nameAndEmailRequired: inputFail,
  validationFailed: inputFail,
  invalidOrExpiredToken: tokenFail,
  invalidRefreshToken: tokenFail,
  invalidToken: tokenFail,
  captchaRequired: sequenceFail,
  enrolmentRequired: sequenceFail,
  passwordChangeRequired: sequenceFail,
  recentLoginRequired: sequenceFail,
  confirmationRequired: sequenceFail,
  secondFactorRequired: sequenceFail,
}

/** The codes of the reasons that say more than the row: a credential that has ended was used again. */
const revoked: ReadonlySet<string> = new Set([
  'refresh_token_revoked',
  'token_pair_ended',
  'token_revoked',
  'token_revoked_earlier',
  'token_signed_out',
])
const ended: ReadonlySet<string> = new Set([
  'session_ended_with_logins',
  'session_idle',
  'session_of_unusable_account',
  'session_too_old',
  'session_unknown',
])

/** Emits an event for each refusal that no other place logs. */
export const eventsOfRefusals = plugin<EventsOfRefusalsOptions>(async (app, options) => {
  app.refusalListeners.push((request, error) => {
    const { row, reason, details } = error
    if (isLogged(request) || isGone(request, error)) return
    if (reason && (revoked.has(reason.code) || ended.has(reason.code))) {
      return inContextOf(request, () => tellOfEnded(error, reason))
    }
    const isStepDue = reason?.code === 'session_must_enrol' // its error is that of no credential
    const named = typeof row === 'string' ? eventOf[row] : undefined
    const event = isStepDue ? sequenceFail : named
    if (!event) return
    const type = event === authorizationFail ? denialOf(request, options.config) : event
    const fields = {
      error: row as string,
      ...(reason && { reason: reason.code }),
      route: request.is404 ? null : (request.routeOptions.url ?? null),
    }
    // A parser of bodies may have left the asynchronous context of the request.
    inContextOf(request, () => {
      if (type !== inputFail || !details) options.events.emit(type, fields)
      else options.events.emit(inputFail, { ...fields, fields: pathsOf(details) })
    })
  })

  /** Tells of a token or session that was used after its end. */
  function tellOfEnded({ row }: ApiError, { code, facts }: RefusalReason): void {
    const { user_id: id } = { user_id: null, ...facts }
    const user_id = typeof id === 'number' ? id : null
    const kind = row === 'invalidRefreshToken' ? 'refresh' : 'access'
    if (ended.has(code)) options.events.emit(sessionUseAfterExpire, { user_id })
    else options.events.emit(tokenReuse, { user_id, kind })
  }
})

/** Whether the client has closed the connection: nothing was refused, it gave up. */
function isGone({ raw }: FastifyRequest, { row }: ApiError): boolean {
  return row === 'badRequest' && raw.destroyed && !raw.complete
}

/** What a 403 tells of: a page of another origin, another user's resource, or the rule. */
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

/** Whether only the owner of the resource is allowed, and the caller is not. */
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

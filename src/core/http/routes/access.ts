import type {
  FastifyReply,
  FastifyRequest,
  onRequestHookHandler,
  preHandlerHookHandler,
  preValidationHookHandler,
  RouteOptions,
} from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import type { Database } from '../../database/database.ts'
import { ApiError } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import { decide, type Resource } from '../../policy/decide.ts'
import { groupOf } from '../../policy/groups.ts'
import type { Principal } from '../../policy/principal.ts'
import { all, describeRule, needsResource, type Rule } from '../../policy/rules.ts'
import { refusesBodies } from '../bodies/bodies.ts'
import { refusesUnsupported, unsupportedBody } from '../bodies/unsupported.ts'
import { accessDenied } from '../changes/denied.ts'
import { assertReauthorized } from '../changes/reauthorize.ts'
import {
  assertConditionAsked,
  assertRuleAsked,
  type LoadedResource,
  type ResourceOptions,
  resourceAbsent,
} from '../changes/resource.ts'
import { hasEmptyParameter } from '../connections/request-shape.ts'
import { mediaTypes } from '../media-types.ts'
import { assertFieldNotForged, isForeignPage, reasonOfOrigin } from './csrf.ts'
import {
  type Access,
  type Authenticator,
  acceptedBy,
  isSafe,
  mistakesIn,
  type Named,
  type RouteDeclaration,
} from './declaration.ts'
import { identify, identifyByBody } from './identify.ts'
import { assertRecentLogin, assertTwoFactors } from './reauthentication.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
    /** The body arrived after authentication. */
    awaitsBody: boolean
    /** Internal; handlers use the loader. */
    resource: LoadedResource | null
  }
}

export interface AccessOptions {
  /** In order of attempts. */
  readonly authenticators: readonly Authenticator[]
  readonly config: Pick<Config, 'baseUrl' | 'http' | 'login'>
  readonly clock: Clock
  readonly db: Database
}

/** Authenticates and authorizes before the body. An invalid declaration prevents the start. */
export const access = plugin<AccessOptions>(async (app, options) => {
  const { authenticators } = options
  app.decorate('authenticators', authenticators)
  app.decorateRequest('principal', null)
  app.decorateRequest('resource', null)
  app.decorateRequest('guard', null)
  app.decorateRequest('isReauthorized', false)
  app.decorateRequest('awaitsBody', false)

  const unknown = new Set(authenticators.flatMap(({ operations = [] }) => operations))
  app.addHook('onReady', (done) => {
    const [operation] = unknown
    const { scheme } = authenticators.find((one) => one.operations?.includes(operation ?? '')) ?? {}
    done(
      scheme &&
        new Error(`the scheme ${scheme} names the operation ${operation}, which no route has`),
    )
  })
  app.addHook('onRoute', (route) => {
    if (isPreflight(route)) return
    unknown.delete(route.schema?.operationId ?? '')
    fillIn(route, authenticators)
    const mistakes = mistakesIn(route, authenticators)
    if (mistakes.length > 0) throw new Error(`${route.method} ${route.url} ${mistakes.join('; ')}`)
    addGuards(route, options)
  })

  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) throw new ApiError('routeNotFound', { reason: { code: 'unknown_route' } })
    done()
  })
})

/** Adds the group's rule and the accepted authenticators. */
function fillIn(route: RouteOptions, authenticators: readonly Authenticator[]): void {
  const declared = route.config?.access
  if (!declared) return
  const rule = withGroup(route.url, declared.rule)
  const accepted = acceptedBy(declared, route.schema?.operationId, authenticators)
  route.config = { ...route.config, access: { ...declared, rule }, accepted }
}

/** Adds the enforcing hooks. */
function addGuards(route: RouteOptions, options: AccessOptions): void {
  const { access: declared, csrf, requestHeaders } = route.config ?? {}
  const steps = declared ? stepsOf(declared, route, options) : []
  route.onRequest = [...steps, ...[route.onRequest ?? []].flat()]
  const assertions = [
    ...(declared && needsResource(declared.rule) ? [assertRuleAsked] : []),
    ...(isSafe(route.method) ? [] : [assertReauthorized]),
    ...(requestHeaders?.includes('if-match') ? [assertConditionAsked] : []),
  ]
  route.onSend = [...assertions, ...[route.onSend ?? []].flat()]
  const isOfOwnPages = csrf === 'foreignPage' || csrf === 'field'
  const foreignPage = (request: FastifyRequest) =>
    isOfOwnPages && isForeignPage(request, options.config)
      ? new ApiError('accessDenied', { reason: reasonOfOrigin('foreign_page', request) })
      : undefined
  if (refusesBodies(route.config?.body)) {
    route.preParsing = [refusesUnsupported(foreignPage), ...[route.preParsing ?? []].flat()]
  }
  if (readsBody(route)) {
    route.preValidation = [reauthorizeAfterBody, ...[route.preValidation ?? []].flat()]
  }
  if (declared && takesCredentialsInBody(route.config)) {
    const admit = admitsByBody(declared.rule, route.config ?? {}, options)
    route.preValidation = [admit, ...[route.preValidation ?? []].flat()]
  }
  if (csrf === 'field')
    route.preValidation = [assertFieldNotForged, ...[route.preValidation ?? []].flat()]
  if (isOfOwnPages) {
    // After validation: 400 before 403.
    const refuse: preHandlerHookHandler = (request, _reply, done) => done(foreignPage(request))
    route.preHandler = [refuse, ...[route.preHandler ?? []].flat()]
  }
}

/** Order: 401 and 403, reauthentication, resource rule, 404. Async only if data must be read. */
function stepsOf(
  { rule }: Access,
  { config = {}, url }: RouteOptions,
  options: AccessOptions,
): onRequestHookHandler[] {
  const { reauthentication, resource } = config
  // Open to anyone, at least for some resources (`loads` decides).
  const isOpen = decide(rule, null) !== false
  return [
    ...(url.includes(':') ? [refusesEmptyParameters(url, options)] : []),
    ...(isOpen ? [] : [admits(rule, config, options)]),
    ...(reauthentication === 'mfa' ? [requiresTwoFactors] : []),
    ...(reauthentication === 'always' || reauthentication === 'mfa'
      ? [requiresRecentLogin(options)]
      : []),
    ...(resource ? [loads(resource, rule, config, options)] : []),
  ]
}

/** Empty parameter: unknown path, after the group's rule. */
function refusesEmptyParameters(url: string, options: AccessOptions): onRequestHookHandler {
  const rule = groupOf(url)?.rule
  const named = { accepted: acceptedBy({}, undefined, options.authenticators) }
  const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (rule && decide(rule, null) === false) {
      enforce(rule, await identify(request, reply, named, options))
    }
    throw new ApiError('routeNotFound', { reason: { code: 'empty_parameter' } })
  }
  return (request, reply, done) => (hasEmptyParameter(request) ? refuse(request, reply) : done())
}

function admits(rule: Rule, named: RouteDeclaration, options: AccessOptions): onRequestHookHandler {
  const waitsForBody = takesCredentialsInBody(named)
  return (request, reply, done) => {
    if (waitsForBody && carriesForm(request)) return done()
    const caller = identify(request, reply, named, options)
    if (caller instanceof Promise) return caller.then((principal) => enforce(rule, principal))
    enforce(rule, caller)
    done()
  }
}

/** Authenticates by the body, unless the headers have authenticated the caller. */
function admitsByBody(rule: Rule, named: Named, options: AccessOptions): preValidationHookHandler {
  return async (request, reply) => {
    if (request.principal !== null) return
    enforce(rule, await identifyByBody(request, reply, named, options))
  }
}

/** Any other request without credentials is refused before its body is read. */
function carriesForm({ headers }: FastifyRequest): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  const isForm = type.trim().toLowerCase() === mediaTypes.form
  return headers.authorization === undefined && isForm && unsupportedBody(headers) === null
}

function takesCredentialsInBody({ accepted = [], body }: RouteDeclaration = {}): boolean {
  return body === 'parameters' && accepted.some((one) => one.authenticateBody !== undefined)
}

function enforce(rule: Rule, principal: Principal): void {
  if (decide(rule, principal) === false) throw accessDenied(rule, principal)
}

function requiresRecentLogin({ clock, config }: AccessOptions): onRequestHookHandler {
  return (request, _reply, done) => {
    assertRecentLogin(request, config, clock)
    done()
  }
}

const requiresTwoFactors: onRequestHookHandler = (request, _reply, done) => {
  assertTwoFactors(callerOf(request))
  done()
}

/** Reads credentials only if the resource is not open to anyone. */
function loads(
  loader: ResourceOptions<object>,
  rule: Rule,
  named: Named,
  options: AccessOptions,
): onRequestHookHandler {
  const take = (thing: object | null, request: FastifyRequest) => {
    request.resource = { loader, thing, facts: undefined, isConditionAsked: false }
    if (thing === null && !needsResource(rule)) throw resourceAbsent(loader)
  }
  const applyRule = async (
    read: ReturnType<typeof loader.load>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> => {
    const thing = await read
    take(thing, request)
    const facts = await loader.facts?.(thing, rule)
    if (facts === undefined) throw new Error('a rule has nothing to ask') // `mistakesIn` prevents such routes
    if (request.principal === null && decide(rule, null, facts) !== true) {
      await identify(request, reply, named, options)
    }
    authorize(request, facts)
    if (thing === null) throw resourceAbsent(loader)
  }
  return (request, reply, done) => {
    const { [loader.param]: text = '' } = request.params as Readonly<Record<string, string>>
    const read = loader.load(text) // declared parameter
    if (needsResource(rule)) return applyRule(read, request, reply)
    if (read instanceof Promise) return read.then((thing) => take(thing, request))
    take(read, request)
    done()
  }
}

/** @throws Error without a caller */
export function callerOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('this route has no authenticated caller')
  return request.principal
}

/**
 * Handlers repeat the call if facts change.
 * @throws ApiError accessDenied; authenticationRequired without a caller; Error without a resource
 */
export function authorize(request: FastifyRequest, facts: Resource): void {
  if (request.resource === null) throw new Error(`${request.routeOptions.url} has no resource`)
  request.resource.facts = facts
  const rule = request.routeOptions.config.access?.rule
  if (rule && decide(rule, request.principal, facts) === true) return
  if (!request.principal) {
    const facts = { rule: rule ? describeRule(rule) : null }
    const reason = { code: 'no_caller_at_resource', facts } as const
    throw new ApiError('authenticationRequired', { reason })
  }
  throw accessDenied(rule, request.principal, facts)
}

/** Reauthorizes after a slow body, before validation. */
const reauthorizeAfterBody: preValidationHookHandler = ({ awaitsBody, guard }, _reply, done) => {
  if (awaitsBody && guard) return guard.now()
  done()
}

/** Handlers read `lines` themselves and reauthorize between lines. */
function readsBody({ method, config }: RouteOptions): boolean {
  const { body = 'none' } = config ?? {}
  return !isSafe(method) && body !== 'none' && body !== 'lines'
}

function withGroup(url: string, rule: Rule): Rule {
  const group = groupOf(url)
  if (!group || describeRule(group.rule) === describeRule(rule)) return rule
  return all(group.rule, rule)
}

/** The preflight route of @fastify/cors. */
function isPreflight({ method, url }: RouteOptions): boolean {
  return method === 'OPTIONS' && url === '*'
}

import type { FastifyReply, FastifyRequest, preHandlerHookHandler, RouteOptions } from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import type { Database } from '../../database/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import { ApiError } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/principal.ts'
import { decide, type Resource } from '../../policy/decide.ts'
import { groupOf } from '../../policy/groups.ts'
import { all, describeRule, needsResource, type Rule } from '../../policy/rules.ts'
import { accessDenied } from '../changes/denied.ts'
import { assertConditionAsked, type LoadedResource } from '../changes/resource.ts'
import { assertJudgedAgain } from '../changes/still-allowed.ts'
import {
  type Authenticator,
  accepts,
  isSafe,
  mistakesIn,
  type RouteDeclaration,
} from './declaration.ts'
import { identify } from './identify.ts'
import { isForeignPage } from './origin.ts'
import { assertRecentLogin } from './reauthentication.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
    /** Whether the body had not arrived when the caller was authenticated. */
    awaitsBody: boolean
    /** The loaded resource, and the facts for its rule; handlers use the loader instead. */
    resource: LoadedResource | null
  }
}

export interface AccessOptions {
  /** In the order in which they are tried. */
  readonly authenticators: readonly Authenticator[]
  readonly config: Pick<Config, 'baseUrl' | 'http' | 'login'>
  readonly clock: Clock
  readonly db: Database
}

/**
 * Authenticates and authorizes before the body is read, by the declaration of the matched route and
 * the rule of the group of its path. A mistake in a declaration stops the start of the service.
 */
export const access = plugin<AccessOptions>(async (app, options) => {
  const { authenticators } = options
  const ofUnknownPaths = authenticators.filter((one) => accepts({}, one))
  app.decorate('authenticators', authenticators)
  app.decorateRequest('principal', null)
  app.decorateRequest('resource', null)
  app.decorateRequest('guard', null)
  app.decorateRequest('isJudgedAgain', false)
  app.decorateRequest('awaitsBody', false)

  app.addHook('onRoute', (route) => {
    if (isPreflight(route)) return
    fillIn(route, authenticators)
    const mistakes = mistakesIn(route, authenticators)
    if (mistakes.length > 0) throw new Error(`${route.method} ${route.url} ${mistakes.join('; ')}`)
    addGuards(route, options)
  })

  app.addHook('onRequest', (request, reply, done): Promise<void> | undefined => {
    if (request.is404) throw new ApiError('routeNotFound')
    const { config: declaration, url = '' } = request.routeOptions
    const { access: declared, accepted: ownSchemes = [], resource } = declaration
    if (!declared) return void done() // CORS preflight
    const isRoute = !hasEmptyParameter(request)
    // A path with an empty parameter is an unknown path; the rule of its group applies first.
    const rule = isRoute ? declared.rule : groupOf(url)?.rule
    if (rule === undefined) throw new ApiError('routeNotFound')
    // Open to anyone, or open to anyone for some resources, which `admit` decides after the load.
    const isOpen = decide(rule, null) !== false
    if (!isRoute && isOpen) throw new ApiError('routeNotFound')
    if (isOpen && !resource) return void done() // synchronous, which is faster
    const accepted = isRoute ? ownSchemes : ofUnknownPaths
    return admit(request, reply, { declaration, rule, isRoute, accepted }, options)
  })
})

/** Completes a declaration: adds the rule of the group, and the accepted authenticators. */
function fillIn(route: RouteOptions, authenticators: readonly Authenticator[]): void {
  const declared = route.config?.access
  if (!declared) return
  const rule = withGroup(route.url, declared.rule)
  const accepted = authenticators.filter((one) => accepts(declared, one))
  route.config = { ...route.config, access: { ...declared, rule }, accepted }
}

/** Adds the hooks that enforce a declaration, besides the hook of every request. */
function addGuards(route: RouteOptions, { config }: AccessOptions): void {
  const { access: declared, csrf, requestHeaders } = route.config ?? {}
  const assertions = [
    ...(declared && needsResource(declared.rule) ? [assertAsked] : []),
    ...(isSafe(route.method) ? [] : [assertJudgedAgain]),
    ...(requestHeaders?.includes('if-match') ? [assertConditionAsked] : []),
  ]
  if (assertions.length > 0) route.onSend = [...assertions, ...[route.onSend ?? []].flat()]
  if (readsBody(route)) {
    route.preValidation = [judgeAfterBody, ...[route.preValidation ?? []].flat()]
  }
  if (csrf === 'foreignPage') {
    // After validation: 400 comes before 403.
    const refuseForeignPage: preHandlerHookHandler = (request, _reply, done) => {
      done(isForeignPage(request, config) ? new ApiError('accessDenied') : undefined)
    }
    route.preHandler = [refuseForeignPage, ...[route.preHandler ?? []].flat()]
  }
}

/** The inputs of the access decision for a request. */
interface Admission {
  readonly declaration: RouteDeclaration
  /** The rule of the route, or of the group alone if the path is unknown. */
  readonly rule: Rule
  readonly isRoute: boolean
  readonly accepted: readonly Authenticator[]
}

/**
 * Authenticates, authorizes and loads the resource. 401 and 403 come first, then reauthentication,
 * then the rule with the facts of the resource, then 404. If a rule allows anyone for some
 * resources, credentials are read only for the other resources.
 */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  { declaration, rule, isRoute, accepted }: Admission,
  options: AccessOptions,
): Promise<void> {
  const { reauthentication, resource } = declaration
  if (decide(rule, null) === false) {
    const principal = await identify(request, reply, accepted, options)
    if (decide(rule, principal) === false) throw accessDenied(rule, principal)
    if (!isRoute) throw new ApiError('routeNotFound')
  }
  if (reauthentication === 'always') assertRecentLogin(request, options.config, options.clock)
  if (!resource) return
  const { [resource.param]: text = '' } = request.params as Readonly<Record<string, string>>
  const thing = await resource.load(text) // the declaration names a parameter of the path
  request.resource = { loader: resource, thing, facts: undefined, isConditionAsked: false }
  if (needsResource(rule)) {
    const facts = await resource.facts?.(thing, rule)
    if (facts === undefined) throw new Error('a rule has nothing to ask') // `mistakesIn` stops the start of such a route
    if (request.principal === null && decide(rule, null, facts) !== true) {
      await identify(request, reply, accepted, options)
    }
    authorize(request, facts)
  }
  if (thing === null) throw new ApiError(resource.missing)
}

/**
 * Whether a parameter of the path is empty, as in `/users/`. The router matches such a path, but it
 * counts as unknown. A wildcard may be empty.
 */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  const given = params as Readonly<Record<string, string>> // set by the router
  for (const name in given) if (given[name] === '' && name !== '*') return true
  return false
}

/** Answers the caller of a route that requires one. @throws Error if there is none */
export function callerOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('this route has no authenticated caller')
  return request.principal
}

/**
 * Applies the route's rule to the facts of its resource; handlers call it again if those change.
 * @throws ApiError accessDenied, or authenticationRequired without a caller; Error if the route has
 * no resource
 */
export function authorize(request: FastifyRequest, facts: Resource): void {
  if (request.resource === null) throw new Error(`${request.routeOptions.url} has no resource`)
  request.resource.facts = facts
  const rule = request.routeOptions.config.access?.rule
  if (rule && decide(rule, request.principal, facts) === true) return
  if (!request.principal) throw new ApiError('authenticationRequired')
  throw accessDenied(rule, request.principal, facts)
}

/** Judges the caller again after a slow body, before its fields are validated. */
async function judgeAfterBody({ awaitsBody, guard }: FastifyRequest): Promise<void> {
  if (awaitsBody) await guard?.now()
}

/** Whether Fastify reads the body. The handler reads lines itself, and judges between them. */
function readsBody({ method, config }: RouteOptions): boolean {
  const { body = 'none' } = config ?? {}
  return !isSafe(method) && body !== 'none' && body !== 'lines'
}

/** Combines a route's rule with the rule of its group, unless they are the same. */
function withGroup(url: string, rule: Rule): Rule {
  const group = groupOf(url)
  if (!group || describeRule(group.rule) === describeRule(rule)) return rule
  return all(group.rule, rule)
}

async function assertAsked(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  if (reply.statusCode < 400 && request.resource?.facts === undefined) {
    throw new Error(`${request.routeOptions.url} succeeded without asking its rule`)
  }
  return payload
}

/** Whether this is the route that @fastify/cors adds for preflight requests. */
function isPreflight({ method, url }: RouteOptions): boolean {
  return method === 'OPTIONS' && url === '*'
}

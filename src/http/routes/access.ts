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
import { assertConditionAsked, type LoadedResource } from './resource.ts'
import { assertJudgedAgain } from './still-allowed.ts'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | null
    /** Whether the body was still to come when the caller was authenticated. */
    awaitsBody: boolean
    /** What the route's loader read, and what `authorize` asked with; handlers ask the loader. */
    resource: LoadedResource | null
  }
}

export interface AccessOptions {
  /** In the order in which they are asked. */
  readonly authenticators: readonly Authenticator[]
  readonly config: Pick<Config, 'baseUrl' | 'http' | 'login'>
  readonly clock: Clock
  readonly db: Database
}

/**
 * Authenticates and authorizes before the body is read, by what the matched route declares. A
 * declaration with a mistake stops the service from starting; the group of its path is added to its
 * rule.
 */
export const access = plugin<AccessOptions>(async (app, options) => {
  const { authenticators } = options
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
    // Otherwise it is an unknown path: as any other, it asks for the role of its group first.
    const rule = isRoute ? declared.rule : groupOf(url)?.rule
    if (rule === undefined) throw new ApiError('routeNotFound')
    // Anyone may, or anyone may with some things: then `load` asks.
    const isOpen = decide(rule, null) !== false
    if (!isRoute && isOpen) throw new ApiError('routeNotFound')
    if (isOpen && !resource) return void done() // nothing to wait for, and waiting costs
    const accepted = isRoute ? ownSchemes : authenticators
    return admit(request, reply, { declaration, rule, isRoute, accepted }, options)
  })
})

/** What follows from a declaration: the rule with that of the group, and whom the route asks. */
function fillIn(route: RouteOptions, authenticators: readonly Authenticator[]): void {
  const declared = route.config?.access
  if (!declared) return
  const rule = withGroup(route.url, declared.rule)
  const accepted = authenticators.filter(({ scheme }) => accepts(declared, scheme))
  route.config = { ...route.config, access: { ...declared, rule }, accepted }
}

/** What holds a route to its declaration, beside the hook that every request passes. */
function addGuards(route: RouteOptions, { config }: AccessOptions): void {
  const { access: declared, csrf, requestHeaders } = route.config ?? {}
  const assertions = [
    ...(declared && needsResource(declared.rule) ? [assertAsked] : []),
    ...(isSafe(route.method) ? [] : [assertJudgedAgain]),
    ...(requestHeaders?.includes('if-match') ? [assertConditionAsked] : []),
  ]
  if (assertions.length > 0) route.onSend = [...assertions, ...[route.onSend ?? []].flat()]
  if (readsBody(route)) {
    route.preValidation = [judgeBehindBody, ...[route.preValidation ?? []].flat()]
  }
  if (csrf === 'foreignPage') {
    // Behind the schema: what is wrong in the fields is told to any page.
    const refuseForeignPage: preHandlerHookHandler = (request, _reply, done) => {
      done(isForeignPage(request, config) ? new ApiError('accessDenied') : undefined)
    }
    route.preHandler = [refuseForeignPage, ...[route.preHandler ?? []].flat()]
  }
}

/** By what a request is judged. */
interface Admission {
  readonly declaration: RouteDeclaration
  /** Of the route, or of the group alone where the path is unknown. */
  readonly rule: Rule
  readonly isRoute: boolean
  readonly accepted: readonly Authenticator[]
}

/**
 * All that waits: 401 and 403 come first, then the recent login, and 404 where the rule has been asked
 * with what there is. Under a rule that lets anyone do something, credentials are read where it asks
 * for a caller.
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
    if (decide(rule, principal) === false) throw new ApiError('accessDenied')
    if (!isRoute) throw new ApiError('routeNotFound')
  }
  if (reauthentication === 'always') assertRecentLogin(request, options.config, options.clock)
  if (!resource) return
  const { [resource.param]: text = '' } = request.params as Readonly<Record<string, string>>
  const thing = await resource.load(text) // of a path that has the parameter, as the router fills it
  request.resource = { loader: resource, thing, facts: undefined, isConditionAsked: false }
  if (needsResource(rule)) {
    const facts = await resource.facts?.(thing, rule)
    if (facts === undefined) throw new Error('a rule has nothing to ask') // stopped the start
    if (request.principal === null && decide(rule, null, facts) !== true) {
      await identify(request, reply, accepted, options)
    }
    authorize(request, facts)
  }
  if (thing === null) throw new ApiError(resource.missing)
}

/**
 * Whether a parameter of the path is empty, as in `/users/`: the router matches it, and no route is
 * meant by it. What a wildcard stands for may be empty.
 */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  const given = params as Readonly<Record<string, string>> // as the router fills it, often with none
  for (const name in given) if (given[name] === '' && name !== '*') return true
  return false
}

/** The caller of a route that anyone without a principal never reaches. @throws Error otherwise */
export function callerOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('this route has no authenticated caller')
  return request.principal
}

/**
 * Asks the route's rule with what it may ask of the resource; once more where that has changed.
 * @throws ApiError accessDenied, or authenticationRequired where the caller is not known; Error where
 * the route has no resource
 */
export function authorize(request: FastifyRequest, facts: Resource): void {
  if (request.resource === null) throw new Error(`${request.routeOptions.url} has no resource`)
  request.resource.facts = facts
  const rule = request.routeOptions.config.access?.rule
  if (!rule || decide(rule, request.principal, facts) !== true)
    throw new ApiError(request.principal ? 'accessDenied' : 'authenticationRequired')
}

/** A body may come slowly: a caller that has ended meanwhile is told so before what is wrong in its fields. */
async function judgeBehindBody({ awaitsBody, guard }: FastifyRequest): Promise<void> {
  if (awaitsBody) await guard?.now()
}

/** Lines are read by the handler, which judges between them. */
function readsBody({ method, config }: RouteOptions): boolean {
  const { body = 'none' } = config ?? {}
  return !isSafe(method) && body !== 'none' && body !== 'lines'
}

/** A route's rule behind that of its group; once, where they are the same. */
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

/** The one route that @fastify/cors adds for preflight requests. */
function isPreflight({ method, url }: RouteOptions): boolean {
  return method === 'OPTIONS' && url === '*'
}

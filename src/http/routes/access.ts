import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../../config/load.ts'
import type { Database } from '../../database/database.ts'
import { ApiError, type ErrorName } from '../../kernel/errors.ts'
import type { Principal, Scheme } from '../../kernel/principal.ts'
import { decide, type Resource } from '../../policy/decide.ts'
import { groupOf } from '../../policy/groups.ts'
import { all, describeRule, needsResource, type Rule } from '../../policy/rules.ts'
import type { JsonSchema } from '../schemas.ts'
import type { BodyKind } from '../server/bodies.ts'
import { assertCsrf } from './csrf.ts'
import { accessDenied } from './denied.ts'
import { isCrossSite } from './origin.ts'
import { type Authenticated, assertJudgedAgain, guardOf } from './still-allowed.ts'

/** Who may call a route, and by which schemes. Every route declares one. */
export interface Access {
  readonly rule: Rule
  /** The schemes of which one is accepted; absent: all of them. */
  readonly schemes?: readonly Scheme[]
  /** A 401 without a body (POST /api/transfer, spec 4.1). */
  readonly silent?: boolean
}

/** A way to prove who calls. Three outcomes, never two: see `authenticate`. */
export interface Authenticator {
  readonly scheme: Scheme
  /** The scheme of the Authorization header that it reads; null for a cookie. */
  readonly header: 'basic' | 'bearer' | null
  /** What a route that accepts this scheme alone answers when there is no credential. */
  readonly missing: ErrorName
  /** And when the credential is bad; a route that accepts several says what is thrown. */
  readonly invalid?: ErrorName
  /** The WWW-Authenticate value. RFC 9110 section 11.6.1. */
  readonly challenge?: string
  /**
   * Null: this request carries no credential of this scheme, another may try.
   * @throws ApiError: it carries one, and it is bad; nobody else is asked
   */
  authenticate(request: FastifyRequest): Promise<Authenticated | null>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Whom the route asks, in order; filled from `access` when the route is declared. */
    accepted?: readonly Authenticator[]
    body?: BodyKind
    /** The longest body that it reads, in bytes; filled for every route that reads one. */
    maxBodyBytes?: number
    /** Whether an enrolment token opens it, beside what `access` accepts. */
    enrols?: boolean
    /** Request headers that the handler goes by, for OpenAPI. */
    requestHeaders?: readonly ('if-match' | 'idempotency-key')[]
    /** Refusals of the handler itself; those of access, body and service are added in OpenAPI. */
    errors?: readonly ErrorName[]
    /** Fields whose absence has an error text of its own. */
    required?: { readonly fields: readonly string[]; readonly error: ErrorName }
    /** The query, for OpenAPI: what is wrong in it counts as absent, or the handler refuses it. */
    query?: JsonSchema
    /** The schema of a 200 that the handler writes itself, for OpenAPI. */
    describes?: JsonSchema
    /** One line of a body of lines, and of an answer of lines, for OpenAPI. */
    line?: { readonly body?: JsonSchema; readonly answer?: JsonSchema }
  }
  interface FastifyRequest {
    principal: Principal | null
    /** Set by `authorize`, so that a handler which forgot to ask is caught. */
    asked: boolean
    /** Whether the body was still to come when the caller was authenticated. */
    awaitsBody: boolean
    /** What `authorize` asked with: a caller who is judged again is judged with it. */
    resource: Resource | null
  }
}

export interface AccessOptions {
  /** In the order in which they are asked. */
  readonly authenticators: readonly Authenticator[]
  readonly config: Pick<Config, 'http'>
  readonly db: Database
}

/** What it takes to read credentials. */
type IdentifyDeps = Pick<AccessOptions, 'config' | 'db'>

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Authenticates and authorizes before the body is read, by what the matched route declares. A route
 * that declares nothing stops the service from starting; the group of its path is added to its rule.
 */
export const access = plugin<AccessOptions>(async (app, { authenticators, config, db }) => {
  app.decorateRequest('principal', null)
  app.decorateRequest('asked', false)
  app.decorateRequest('resource', null)
  app.decorateRequest('guard', null)
  app.decorateRequest('isJudgedAgain', false)
  app.decorateRequest('awaitsBody', false)

  app.addHook('onRoute', (route) => {
    if (isPreflight(route)) return
    const declared = route.config?.access
    if (!declared) throw new Error(`${route.method} ${route.url} declares no access`)
    const rule = withGroup(route.url, declared.rule)
    const accepted = authenticators.filter(({ scheme }) => accepts(declared, scheme))
    route.config = { ...route.config, access: { ...declared, rule }, accepted }
    const assertions = [
      ...(needsResource(rule) ? [assertAsked] : []),
      ...(isSafe(route) ? [] : [assertJudgedAgain]),
    ]
    if (assertions.length > 0) route.onSend = [...assertions, ...[route.onSend ?? []].flat()]
    if (readsBody(route))
      route.preValidation = [judgeBehindBody, ...[route.preValidation ?? []].flat()]
  })

  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) throw new ApiError('routeNotFound')
    const { access: declared, accepted: ownSchemes = [] } = request.routeOptions.config
    if (!declared) return // CORS preflight
    const isRoute = !hasEmptyParameter(request)
    // Otherwise it is an unknown path: as any other, it asks for the role of its group first.
    const rule = isRoute ? declared.rule : groupOf(request.routeOptions.url ?? '')?.rule
    if (rule === undefined) throw new ApiError('routeNotFound')
    // Anyone may, or anyone may with some things: then `authorizeAnyone` asks.
    if (decide(rule, null) === false) {
      const accepted = isRoute ? ownSchemes : authenticators
      const principal = await identify(request, reply, accepted, { config, db })
      if (decide(rule, principal) === false) throw accessDenied(rule, principal)
    }
    if (!isRoute) throw new ApiError('routeNotFound')
  })
})

/**
 * Whether a parameter of the path is empty, as in `/users/`: the router matches it, and no route is
 * meant by it. What a wildcard stands for may be empty.
 */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  const given = params as Readonly<Record<string, string>> // as the router fills it, often with none
  for (const name in given) if (given[name] === '' && name !== '*') return true
  return false
}

/** Sets `request.principal`. @throws ApiError where no accepted credential proves the caller */
async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: readonly Authenticator[],
  { config, db }: IdentifyDeps,
): Promise<Principal> {
  const found = await authenticate(request, reply, accepted)
  if (found === null) throw challenged(request, reply, accepted)
  const { principal } = found.caller
  request.principal = principal
  request.guard = guardOf(request, { ...found, db })
  request.awaitsBody = !request.raw.complete // what came with its header needs no second look
  if (!safeMethods.has(request.method)) {
    assertCsrf(request, principal)
    if (principal.credential.scheme === 'basic' && isCrossSite(request, config)) {
      throw new ApiError('accessDenied') // a browser sends Basic by itself, like a cookie
    }
  }
  return principal
}

/** The caller of a route that anyone without a principal never reaches. @throws Error otherwise */
export function callerOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('this route has no authenticated caller')
  return request.principal
}

/**
 * Asks the route's rule once more, now with the resource.
 * @throws ApiError accessDenied, or authenticationRequired where the caller is not known
 */
export function authorize(request: FastifyRequest, resource: Resource): void {
  request.asked = true
  request.resource = resource
  const rule = request.routeOptions.config.access?.rule
  if (rule && decide(rule, request.principal, resource) === true) return
  if (!request.principal) throw new ApiError('authenticationRequired')
  throw accessDenied(rule, request.principal, resource)
}

/**
 * As `authorize`, for a rule that asks for a caller with some things alone: credentials are read
 * where this is one of them. @throws ApiError accessDenied, and the 401 of a caller who must say
 * who it is
 */
export async function authorizeAnyone(
  request: FastifyRequest,
  reply: FastifyReply,
  resource: Resource,
  deps: IdentifyDeps,
): Promise<void> {
  const { access: declared, accepted = [] } = request.routeOptions.config
  if (declared && request.principal === null && decide(declared.rule, null, resource) !== true) {
    await identify(request, reply, accepted, deps)
  }
  authorize(request, resource)
}

async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: readonly Authenticator[],
): Promise<{ caller: Authenticated; ended: () => ApiError } | null> {
  // A request with an Authorization header is judged by that header alone.
  const byHeader =
    request.headers.authorization !== undefined && accepted.some(({ header }) => header !== null)
  for (const authenticator of accepted) {
    if (byHeader && authenticator.header === null) continue
    const refused = (cause?: unknown): ApiError => {
      if (authenticator.header !== 'bearer') return challenged(request, reply, accepted)
      reply.header('www-authenticate', `${authenticator.challenge}, error="invalid_token"`)
      const isAlone = accepted.length === 1 && authenticator.invalid
      return new ApiError(isAlone || 'invalidOrExpiredToken', { cause })
    }
    try {
      const caller = await authenticator.authenticate(request)
      if (caller !== null) return { caller, ended: refused }
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      throw refused(error.cause)
    }
  }
  return null
}

/** A body may come slowly: a caller that has ended meanwhile is told so before what is wrong in its fields. */
async function judgeBehindBody({ awaitsBody, guard }: FastifyRequest): Promise<void> {
  if (awaitsBody) await guard?.now()
}

/** Lines are read by the handler, which judges between them. */
function readsBody({ method, config }: RouteOptions): boolean {
  const { body = 'none' } = config ?? {}
  return !isSafe({ method }) && body !== 'none' && body !== 'lines'
}

function isSafe({ method }: Pick<RouteOptions, 'method'>): boolean {
  return [method].flat().every((name) => safeMethods.has(name))
}

/** The 401 for a caller without a credential, with every challenge that the route accepts. */
function challenged(
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: readonly Authenticator[],
): ApiError {
  const challenges = accepted
    .filter(({ header }) => header !== 'basic' || !isOwnFetch(request))
    .flatMap(({ challenge }) => challenge ?? [])
  const [first, ...more] = challenges
  if (first) reply.header('www-authenticate', more.length === 0 ? first : challenges)
  const [only, ...others] = accepted
  return new ApiError(only && others.length === 0 ? only.missing : 'authenticationRequired')
}

/** A script's fetch: the Basic challenge would make the browser ask for a password by itself. */
function isOwnFetch({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] !== undefined && headers['sec-fetch-mode'] !== 'navigate'
}

/** A route's rule behind that of its group; once, where they are the same. */
function withGroup(url: string, rule: Rule): Rule {
  const group = groupOf(url)
  if (!group || describeRule(group.rule) === describeRule(rule)) return rule
  return all(group.rule, rule)
}

export function accepts({ schemes }: Access, scheme: Scheme): boolean {
  return schemes === undefined || schemes.includes(scheme)
}

async function assertAsked(request: FastifyRequest, reply: FastifyReply, payload: unknown) {
  if (reply.statusCode < 400 && !request.asked) {
    throw new Error(`${request.routeOptions.url} succeeded without asking its rule`)
  }
  return payload
}

/** The one route that @fastify/cors adds for preflight requests. */
function isPreflight({ method, url }: RouteOptions): boolean {
  return method === 'OPTIONS' && url === '*'
}

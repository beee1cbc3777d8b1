import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import plugin from 'fastify-plugin'
import type { Config } from '../config.ts'
import { ApiError, type ErrorName } from '../kernel/errors.ts'
import type { Principal, Scheme } from '../kernel/principal.ts'
import { decide, type Resource } from '../policy/decide.ts'
import { groupOf } from '../policy/groups.ts'
import { all, describeRule, needsResource, type Rule } from '../policy/rules.ts'
import type { BodyKind } from './bodies.ts'
import { assertCsrf } from './csrf.ts'
import { isCrossSite } from './origin.ts'
import type { JsonSchema } from './schemas.ts'

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
  authenticate(request: FastifyRequest): Promise<Principal | null>
}

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access
    /** Whom the route asks, in order; filled from `access` when the route is declared. */
    accepted?: readonly Authenticator[]
    body?: BodyKind
    /** Whether an enrolment token opens it, beside what `access` accepts. */
    enrols?: boolean
    /** Request headers that the handler goes by, for OpenAPI. */
    honours?: readonly ('if-match' | 'idempotency-key')[]
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
  }
}

export interface AccessOptions {
  /** In the order in which they are asked. */
  readonly authenticators: readonly Authenticator[]
  readonly config: Pick<Config, 'http'>
}

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/**
 * Authenticates and authorizes before the body is read, by what the matched route declares. A route
 * that declares nothing stops the service from starting; the group of its path is added to its rule.
 */
export const access = plugin<AccessOptions>(async (app, { authenticators, config }) => {
  app.decorateRequest('principal', null)
  app.decorateRequest('asked', false)

  app.addHook('onRoute', (route) => {
    if (isPreflight(route)) return
    const declared = route.config?.access
    if (!declared) throw new Error(`${route.method} ${route.url} declares no access`)
    const rule = withGroup(route.url, declared.rule)
    const accepted = authenticators.filter(({ scheme }) => accepts(declared, scheme))
    route.config = { ...route.config, access: { ...declared, rule }, accepted }
    if (needsResource(rule)) route.onSend = [assertAsked, ...[route.onSend ?? []].flat()]
  })

  app.addHook('onRequest', async (request, reply) => {
    if (request.is404) throw new ApiError('routeNotFound')
    const { access: declared, accepted = [] } = request.routeOptions.config
    if (!declared) return // CORS preflight
    const { rule } = declared
    // Anyone may, or anyone may with some things: then `authorizeAnyone` asks.
    if (decide(rule, null) !== false) return
    const principal = await identify(request, reply, accepted, config)
    if (decide(rule, principal) === false) throw new ApiError('accessDenied')
  })
})

/** Who calls; from here on `request.principal`. @throws ApiError where no accepted credential proves it */
async function identify(
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: readonly Authenticator[],
  config: AccessOptions['config'],
): Promise<Principal> {
  const principal = await authenticate(request, reply, accepted)
  if (principal === null) throw challenged(request, reply, accepted)
  request.principal = principal
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
  const rule = request.routeOptions.config.access?.rule
  if (!rule || decide(rule, request.principal, resource) !== true)
    throw new ApiError(request.principal ? 'accessDenied' : 'authenticationRequired')
}

/**
 * As `authorize`, for a rule that asks for a caller with some things alone: credentials are read where
 * this is one of them. @throws ApiError accessDenied, and the 401 of a caller who must say who it is
 */
export async function authorizeAnyone(
  request: FastifyRequest,
  reply: FastifyReply,
  resource: Resource,
  config: AccessOptions['config'],
): Promise<void> {
  const { access: declared, accepted = [] } = request.routeOptions.config
  if (declared && request.principal === null && decide(declared.rule, null, resource) !== true) {
    await identify(request, reply, accepted, config)
  }
  authorize(request, resource)
}

async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  accepted: readonly Authenticator[],
): Promise<Principal | null> {
  // A request with an Authorization header is judged by that header alone.
  const byHeader =
    request.headers.authorization !== undefined && accepted.some(({ header }) => header !== null)
  for (const authenticator of accepted) {
    if (byHeader && authenticator.header === null) continue
    try {
      const principal = await authenticator.authenticate(request)
      if (principal !== null) return principal
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error
      if (authenticator.header === 'bearer') {
        reply.header('www-authenticate', `${authenticator.challenge}, error="invalid_token"`)
        throw accepted.length === 1 && authenticator.invalid
          ? new ApiError(authenticator.invalid, { cause: error.cause })
          : error
      }
      throw challenged(request, reply, accepted)
    }
  }
  return null
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

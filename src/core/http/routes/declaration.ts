import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import type { ErrorName, ErrorRow } from '../../errors.ts'
import { decide } from '../../policy/decide.ts'
import type { Scheme } from '../../policy/principal.ts'
import { asksClient, needsResource, type Rule } from '../../policy/rules.ts'
import type { BodyKind } from '../bodies/bodies.ts'
import type { Authenticated } from '../changes/reauthorize.ts'
import type { ResourceOptions } from '../changes/resource.ts'
import { type DeclaredError, rowOf } from '../declared-error.ts'
import type { ErrorPage } from '../pages/page.ts'
import { type RequestHeader, requestHeaders } from '../request-headers.ts'
import type { ResponseHeader } from '../response-headers.ts'
import type { JsonSchema } from '../schemas.ts'
import type { Tag, TagName } from '../tags.ts'

/**
 * Everything that guards and documents a route; see docs/routes.txt. Contradictions prevent the
 * start: `mistakesIn`.
 */
export interface RouteDeclaration {
  access?: Access
  /** Set at registration. */
  module?: string
  /** Default: the module's tag. */
  tag?: TagName | Tag
  /**
   * What a key needs beside the rule; null: no key is admitted. Default: by the tag and the method,
   * see `scopeOf`.
   */
  scope?: string | null
  /** The handler decides about keys itself, by rules of its own. */
  judgesKeys?: true
  /** Answers even when the service rejects all other requests, for diagnosis. */
  isDiagnosis?: true
  /** A page listed in the OpenAPI document. */
  isReference?: true
  /** Read once for rule, 404, precondition and handler. */
  resource?: ResourceOptions<object>
  /**
   * Requires a login within `REAUTHENTICATE_SECONDS`, with all factors of the account. `always`: by
   * `access`. `mfa`: by `access`, and with two factors even if the account has no second factor.
   * `conditional`: by the handler, for some changes.
   */
  reauthentication?: 'always' | 'mfa' | 'conditional'
  /** Also accepts enrolment tokens. */
  enrols?: boolean
  /**
   * For changing routes open to anyone. `foreignPage`: rejects other origins. `exempt`: harmless.
   * `field`: our forms send the session's CSRF token in a field. Other routes: see `Authenticator`.
   */
  csrf?: 'foreignPage' | 'exempt' | 'field'
  /** Excluded from the general rate limit, for monitoring. */
  rateLimit?: 'exempt'
  /** Default: `none`. */
  body?: BodyKind
  /** In bytes; required if a body is read. */
  maxBodyBytes?: number
  /** Error for absent fields. */
  required?: { readonly fields: readonly string[]; readonly error: ErrorRow }
  /** Used by the handler. */
  requestHeaders?: readonly RequestHeader[]
  /** Errors of the handler only. */
  errors?: readonly DeclaredError[]
  /** Errors replaced by the wording of the route's RFC. */
  rewords?: Partial<Record<ErrorName, ErrorRow>>
  /** For clients that prefer HTML; absent: JSON. */
  errorPage?: ErrorPage
  /** For OpenAPI, unless in the schema. */
  params?: JsonSchema
  /** For OpenAPI; the handler validates. */
  query?: JsonSchema
  /** For OpenAPI, if stricter than the validated schema. */
  sends?: JsonSchema
  /** For OpenAPI: a line of a `lines` body. */
  line?: JsonSchema
  /** For OpenAPI: successes that the handler serializes, by status and media type. */
  answers?: Readonly<Record<number, Readonly<Record<string, JsonSchema>>>>
  /** For OpenAPI: headers of successes. */
  responseHeaders?: readonly ResponseHeader[]
  /** For OpenAPI, if the schemas have no fitting example. */
  examples?: OperationExamples
  /** In order; derived from `access` at registration. */
  accepted?: readonly Authenticator[]
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteDeclaration {}
  interface FastifySchema {
    /** Unique and stable: clients are generated from the OpenAPI ids. */
    operationId?: string
    summary?: string
    /** Hidden from OpenAPI. */
    hide?: boolean
  }
  interface FastifyInstance {
    /** In order of attempts. */
    authenticators: readonly Authenticator[]
  }
}

export interface OperationExamples {
  readonly body?: unknown
  /** Several bodies by name. */
  readonly bodies?: Readonly<Record<string, unknown>>
  readonly answer?: unknown
}

/** Required for every route. */
export interface Access {
  readonly rule: Rule
  /** Default: `defaultSchemes`. */
  readonly schemes?: readonly Scheme[]
  /** A 401 without a body (POST /api/transfer, spec 4.1). */
  readonly silent?: boolean
}

/** One authentication scheme. */
export interface Authenticator {
  readonly scheme: Scheme
  /** Lower-case Authorization scheme; null for other headers. */
  readonly header: string | null
  /** Operation ids of other modules' routes that accept the scheme implicitly. */
  readonly operations?: readonly string[]
  /** Error without a credential, if this is the only scheme. */
  readonly missing: ErrorRow
  /** Default: same as a missing credential. */
  readonly invalid?: InvalidCredential
  /** For OpenAPI. */
  readonly errors?: readonly ErrorRow[]
  /** WWW-Authenticate value. RFC 9110 section 11.6.1. */
  readonly challenge?: string
  /**
   * For credentials that browsers send automatically. `token`: requires X-CSRF-Token. `sameSite`:
   * rejects cross-site requests.
   */
  readonly csrf?: 'token' | 'sameSite'
  readonly describes: SecurityScheme
  /**
   * Synchronous if possible. Null without such a credential: the next scheme is tried. @throws
   * ApiError for a bad credential; no other scheme is tried
   */
  authenticate(request: FastifyRequest): Authenticated | null | Promise<Authenticated | null>
  /**
   * For credentials in the body. Called after the body is parsed, before its validation, and only
   * without an Authorization header. Browsers never send such credentials automatically.
   */
  authenticateBody?(request: FastifyRequest, reply: FastifyReply): Promise<Authenticated | null>
}

/** Names the error in the challenge. RFC 6750 section 3.1. */
export interface InvalidCredential {
  readonly parameter: string
  readonly error: ErrorRow
  /** If this is the only scheme. */
  readonly alone: ErrorRow
}

/** OpenAPI 3.1 scheme for a plain credential. */
export type SecurityScheme = { readonly description?: string } & (
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'apiKey'; readonly in: 'cookie' | 'header'; readonly name: string }
)

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** All methods are safe. RFC 9110 section 9.2.1. */
export function isSafe(method: string | readonly string[]): boolean {
  return typeof method === 'string'
    ? safeMethods.has(method)
    : method.every((name) => safeMethods.has(name))
}

/** Each authenticates a person with all rights of the account. */
export const defaultSchemes: readonly Scheme[] = ['basic', 'session', 'bearer']

/** Accepted by the route or by the authenticator. */
export function acceptedBy(
  { schemes = defaultSchemes }: Pick<Access, 'schemes'>,
  operationId: string | undefined,
  authenticators: readonly Authenticator[],
): Authenticator[] {
  return authenticators.filter(
    ({ scheme, operations = [] }) =>
      schemes.includes(scheme) || (operationId !== undefined && operations.includes(operationId)),
  )
}

/** The only scheme named by the route determines error texts, whatever schemes modules add. */
export function onlyNamed({
  access: { schemes = defaultSchemes } = {},
  accepted = [],
}: Named): Authenticator | undefined {
  const [only, ...others] = accepted.filter(({ scheme }) => schemes.includes(scheme))
  return others.length === 0 ? only : undefined
}

/** Accepted and explicitly named schemes. */
export interface Named {
  readonly access?: Pick<Access, 'schemes'>
  readonly accepted?: readonly Authenticator[]
}

/** None for safe methods. */
export function csrfGuardsOf(
  method: string | readonly string[],
  { accepted = [], csrf }: RouteDeclaration,
): string[] {
  if (isSafe(method)) return []
  return csrf ? [csrf] : accepted.flatMap(({ csrf: guard = [] }) => guard)
}

/** Errors besides the handler's, in order of checks. */
export function declaredErrors(declaration: RouteDeclaration): ErrorRow[] {
  const { reauthentication, required, requestHeaders: headers = [], resource } = declaration
  return [
    ...(required ? [required.error] : []),
    ...headers.flatMap((header) => requestHeaders[header].error ?? []),
    ...(reauthentication === 'mfa' ? ['secondFactorRequired' as const] : []),
    ...(reauthentication ? ['recentLoginRequired' as const] : []),
    ...(resource ? [resource.missing] : []),
  ]
}

/** Contradictions and gaps; each completes a sentence after "it". */
export function mistakesIn(
  { config = {}, method, schema, url }: Pick<RouteOptions, 'config' | 'method' | 'schema' | 'url'>,
  authenticators: readonly Authenticator[],
): string[] {
  const { access, body = 'none', csrf, enrols, line, maxBodyBytes, resource } = config
  if (!access) return ['declares no access']
  const { rule, schemes = [], silent } = access
  const headers = config.requestHeaders ?? []
  const safe = isSafe(method)
  const isOpen = decide(rule, null) === true
  const known = new Set(authenticators.map(({ scheme }) => scheme))
  const implied = new Set(declaredErrors(config))
  const { operationId = '' } = schema ?? {}
  const mistakes: readonly (readonly [boolean, string])[] = [
    [schemes.some((scheme) => !known.has(scheme)), 'accepts a scheme that nothing authenticates'],
    [access.schemes?.length === 0, 'accepts no scheme'],
    [
      (isOpen || csrf === 'field' || asksClient(rule)) &&
        authenticators.some(({ operations = [] }) => operations.includes(operationId)),
      'is named by a scheme, and is open to anyone, for clients or for a form',
    ],
    [
      schemes.includes('client') !== asksClient(rule),
      'accepts clients without a rule for them, or has a rule for them alone',
    ],
    [isOpen && access.schemes !== undefined, 'is open to anyone, and names schemes'],
    [isOpen && silent === true, 'is open to anyone, and silent in its 401'],
    [
      decide(rule, null) !== false && config.reauthentication !== undefined,
      'is open to callers who have not logged in, and asks for a recent login',
    ],
    [isOpen && enrols === true, 'is open to anyone, and to an enrolment token'],
    [safe && csrf !== undefined, 'changes nothing, and declares a CSRF guard'],
    [
      !isOpen && csrf !== undefined && csrf !== 'field',
      'has callers whose credentials say what their CSRF guard is',
    ],
    [
      csrf === 'field' && (isOpen || body !== 'form' || schemes.join() !== 'session'),
      'has a field for the CSRF token, and is not a form for sessions alone',
    ],
    [!safe && isOpen && csrf === undefined, 'can be called by anyone, and declares no CSRF guard'],
    [
      !safe && config.rateLimit === 'exempt' && !(isOpen && csrf === 'exempt' && body === 'none'),
      'changes something, and is exempt from the rate limit',
    ],
    [safe && body !== 'none', 'changes nothing, and reads a body'],
    [body === 'none' && maxBodyBytes !== undefined, 'limits a body that it does not read'],
    [body === 'none' && schema?.body !== undefined, 'describes a body that it does not read'],
    [schema?.body === undefined && config.required !== undefined, 'requires fields of no body'],
    [(body === 'lines') !== (line !== undefined), 'reads lines without saying of what'],
    [needsResource(rule) && !resource?.facts, 'has a rule about a resource that it does not load'],
    [resource !== undefined && !hasParameter(url, resource.param), 'has no path to its resource'],
    [headers.includes('if-match') && (safe || !resource), 'has nothing that If-Match compares'],
    [headers.includes('idempotency-key') && method !== 'POST', 'repeats what is no POST'],
    [
      (config.errors ?? []).some((error) => implied.has(rowOf(error))),
      'lists an error that its declaration implies',
    ],
  ]
  return mistakes.filter(([isMade]) => isMade).map(([, mistake]) => mistake)
}

function hasParameter(url: string, name: string): boolean {
  return url.split('/').includes(`:${name}`)
}

import type { FastifyRequest, RouteOptions } from 'fastify'
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
 * The declaration of a route: everything that guards it, and the data of the documents. Each part
 * is enforced, printed in docs/routes.txt and shown in OpenAPI. A contradictory or incomplete
 * declaration stops the start; see `mistakesIn`.
 */
export interface RouteDeclaration {
  access?: Access
  /** The name of the module that declares it; set when the route is registered. */
  module?: string
  /** The tag of the operation in OpenAPI; absent: the tag of the module. */
  tag?: TagName | Tag
  /** The resource of the path, read once for rule, 404, precondition and handler. */
  resource?: ResourceOptions<object>
  /**
   * Whether the caller must have logged in within `REAUTHENTICATE_SECONDS`. `always`: for every
   * request, by `access`. `conditional`: for some changes, by the handler.
   */
  reauthentication?: 'always' | 'conditional'
  /** Whether the route accepts an enrolment token, besides the schemes of `access`. */
  enrols?: boolean
  /**
   * The CSRF protection of a changing route that is open to anyone. `foreignPage`: requests of
   * pages of other origins are refused. `exempt`: such pages can do no harm. On other changing
   * routes the accepted authenticators protect the request: see `Authenticator`. `field`: a form of
   * our own pages sends the CSRF token of its session in a field, and other pages are refused.
   */
  csrf?: 'foreignPage' | 'exempt' | 'field'
  /** Not counted by the general rate limit, so that monitoring always works. */
  rateLimit?: 'exempt'
  /** Which body the route accepts; absent: `none`. */
  body?: BodyKind
  /** The longest accepted body, in bytes; set for every route that reads one. */
  maxBodyBytes?: number
  /** Required fields, and the error if one is absent. */
  required?: { readonly fields: readonly string[]; readonly error: ErrorRow }
  /** Request headers that the handler uses. */
  requestHeaders?: readonly RequestHeader[]
  /** Errors of the handler; OpenAPI adds those of the other declarations. */
  errors?: readonly DeclaredError[]
  /** Errors that the route answers as others, in the words of its RFC. */
  rewords?: Partial<Record<ErrorName, ErrorRow>>
  /** The page of an error for clients that prefer HTML; absent: every client gets JSON. */
  errorPage?: ErrorPage
  /** The parameters of the path, for OpenAPI, unless the schema of the route has them. */
  params?: JsonSchema
  /** The query, for OpenAPI; the handler ignores or refuses invalid values. */
  query?: JsonSchema
  /** What a client should send, for OpenAPI, where the validated schema allows more. */
  sends?: JsonSchema
  /** The schema of a line of a body of lines, for OpenAPI. */
  line?: JsonSchema
  /** The successes that the handler serializes itself, by status and media type, for OpenAPI. */
  answers?: Readonly<Record<number, Readonly<Record<string, JsonSchema>>>>
  /** The response headers of its successes, for OpenAPI. */
  responseHeaders?: readonly ResponseHeader[]
  /** Examples for OpenAPI, where the schemas have none that fits the operation. */
  examples?: OperationExamples
  /** The accepted authenticators, in order; set from `access` when the route is registered. */
  accepted?: readonly Authenticator[]
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteDeclaration {}
  interface FastifySchema {
    /** The name of the operation in OpenAPI, unique and for ever: clients are generated from it. */
    operationId?: string
    summary?: string
    /** Keeps the route out of OpenAPI. */
    hide?: boolean
  }
  interface FastifyInstance {
    /** All authenticators, in the order in which they are tried. */
    authenticators: readonly Authenticator[]
  }
}

export interface OperationExamples {
  readonly body?: unknown
  /** Several bodies by name, in the place of one. */
  readonly bodies?: Readonly<Record<string, unknown>>
  readonly answer?: unknown
}

/** The rule and the accepted schemes of a route. Every route declares them. */
export interface Access {
  readonly rule: Rule
  /** The accepted schemes; absent: `defaultSchemes`. A route names any other scheme. */
  readonly schemes?: readonly Scheme[]
  /** A 401 without a body (POST /api/transfer, spec 4.1). */
  readonly silent?: boolean
}

/** Authenticates requests by one scheme. `authenticate` has three outcomes. */
export interface Authenticator {
  readonly scheme: Scheme
  /** The scheme of the Authorization header that it reads, in lower case; null if it reads another one. */
  readonly header: string | null
  /** Routes of other modules that accept it without naming it, by their operation ids. */
  readonly operations?: readonly string[]
  /** The error without a credential, on a route that accepts this scheme only. */
  readonly missing: ErrorRow
  /** What answers a bad credential; absent: the same as no credential. */
  readonly invalid?: InvalidCredential
  /** Its other errors, for OpenAPI. */
  readonly errors?: readonly ErrorRow[]
  /** The WWW-Authenticate value. RFC 9110 section 11.6.1. */
  readonly challenge?: string
  /**
   * The CSRF protection of a credential that browsers send by themselves. `token`: X-CSRF-Token
   * must be the CSRF token of the credential. `sameSite`: requests of pages of other sites are
   * refused. Absent: no browser sends the credential by itself.
   */
  readonly csrf?: 'token' | 'sameSite'
  /** The security scheme in OpenAPI. */
  readonly describes: SecurityScheme
  /**
   * Authenticates a request, at once if it can; null if it has no credential of this scheme, so
   * that the next one is tried. @throws ApiError for a bad credential; no other one is tried
   */
  authenticate(request: FastifyRequest): Authenticated | null | Promise<Authenticated | null>
}

/** The answer to a bad credential, which names its error in the challenge. RFC 6750 section 3.1. */
export interface InvalidCredential {
  readonly parameter: string
  readonly error: ErrorRow
  /** The error on a route that accepts this scheme only. */
  readonly alone: ErrorRow
}

/** A security scheme of OpenAPI 3.1, of the two kinds that send a credential as it is. */
export type SecurityScheme = { readonly description?: string } & (
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'apiKey'; readonly in: 'cookie' | 'header'; readonly name: string }
)

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Whether a request by this method, or each of these, changes nothing. RFC 9110 section 9.2.1. */
export function isSafe(method: string | readonly string[]): boolean {
  return typeof method === 'string'
    ? safeMethods.has(method)
    : method.every((name) => safeMethods.has(name))
}

/** The schemes of a route that names none: each authenticates a person with all rights of the account. */
export const defaultSchemes: readonly Scheme[] = ['basic', 'session', 'bearer']

/** The authenticators that accept a credential for a route, by the route or by their own declaration. */
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

/** The one authenticator that a route names; its words refuse, whatever schemes other modules add. */
export function onlyNamed({
  access: { schemes = defaultSchemes } = {},
  accepted = [],
}: Named): Authenticator | undefined {
  const [only, ...others] = accepted.filter(({ scheme }) => schemes.includes(scheme))
  return others.length === 0 ? only : undefined
}

/** What a route accepts, and the schemes that the route itself names. */
export interface Named {
  readonly access?: Pick<Access, 'schemes'>
  readonly accepted?: readonly Authenticator[]
}

/** Lists the CSRF protections of a route; none for a safe method. */
export function csrfGuardsOf(
  method: string | readonly string[],
  { accepted = [], csrf }: RouteDeclaration,
): string[] {
  if (isSafe(method)) return []
  return csrf ? [csrf] : accepted.flatMap(({ csrf: guard = [] }) => guard)
}

/** Lists the errors of a declaration besides those of the handler, in the order of their checks. */
export function declaredErrors(declaration: RouteDeclaration): ErrorRow[] {
  const { reauthentication, required, requestHeaders: headers = [], resource } = declaration
  return [
    ...(required ? [required.error] : []),
    ...headers.map((header) => requestHeaders[header].error),
    ...(reauthentication ? ['recentLoginRequired' as const] : []),
    ...(resource ? [resource.missing] : []),
  ]
}

/** Lists the contradictions and gaps of a declaration, each as a sentence that follows "it". */
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

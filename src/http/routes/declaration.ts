import type { FastifyRequest, RouteOptions } from 'fastify'
import type { ErrorRow } from '../../kernel/errors.ts'
import type { Scheme } from '../../kernel/principal.ts'
import { decide } from '../../policy/decide.ts'
import { needsResource, type Rule } from '../../policy/rules.ts'
import type { BodyKind } from '../bodies/bodies.ts'
import type { ResourceOptions } from '../changes/resource.ts'
import type { Authenticated } from '../changes/still-allowed.ts'
import type { JsonSchema } from '../schemas.ts'
import { type RequestHeader, requestHeaders } from '../server/request-headers.ts'

/**
 * What a route says about itself, in one place: all that guards it, and what the documents need. Each
 * part is enforced, printed in docs/routes.txt and shown in OpenAPI. A route that contradicts itself,
 * or is silent where it must speak, stops the start; see `mistakesIn`.
 */
export interface RouteDeclaration {
  access?: Access
  /** The thing that its path names: read once for the rule, the 404, the precondition and the handler. */
  resource?: ResourceOptions<object>
  /**
   * Whether the caller must have logged in within `REAUTHENTICATE_SECONDS`. `always`: `access` sees to
   * it. `conditional`: for some of what a body may want, which the handler knows.
   */
  reauthentication?: 'always' | 'conditional'
  /** Whether an enrolment token opens it, beside what `access` accepts. */
  enrols?: boolean
  /**
   * For a changing route that is open to anyone, whom no credential protects. `foreignPage`: a
   * browser's page of elsewhere is refused. `exempt`: such a page can do no harm by it. Every other
   * changing route is guarded by how the credentials that it accepts are sent: see `Authenticator`.
   */
  csrf?: 'foreignPage' | 'exempt'
  /** Not counted by the general limit: what watches the service must always see it. */
  rateLimit?: 'exempt'
  /** What it does with a body; absent: `none`. */
  body?: BodyKind
  /** The longest body that it reads, in bytes; filled for every route that reads one. */
  maxBodyBytes?: number
  /** Fields whose absence has an error text of its own. */
  required?: { readonly fields: readonly string[]; readonly error: ErrorRow }
  /** Request headers that the handler goes by. */
  requestHeaders?: readonly RequestHeader[]
  /** Refusals of the handler itself; OpenAPI adds those of everything else that is declared. */
  errors?: readonly ErrorRow[]
  /** The query, for OpenAPI: what is wrong in it counts as absent, or the handler refuses it. */
  query?: JsonSchema
  /** The schema of a 200 that the handler writes itself, for OpenAPI. */
  describes?: JsonSchema
  /** One line of a body of lines, and of an answer of lines, for OpenAPI. */
  line?: { readonly body?: JsonSchema; readonly answer?: JsonSchema }
  /** Whom the route asks, in order; filled from `access` when the route is declared. */
  accepted?: readonly Authenticator[]
}

declare module 'fastify' {
  interface FastifyContextConfig extends RouteDeclaration {}
  interface FastifyInstance {
    /** All that there are, in the order in which they are asked. */
    authenticators: readonly Authenticator[]
  }
}

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
  readonly missing: ErrorRow
  /** And when the credential is bad; a route that accepts several says what is thrown. */
  readonly invalid?: ErrorRow
  /** What else it refuses with, for OpenAPI. */
  readonly errors?: readonly ErrorRow[]
  /** The WWW-Authenticate value. RFC 9110 section 11.6.1. */
  readonly challenge?: string
  /**
   * What a change must show where a browser sends the credential by itself. `token`: the CSRF token
   * of the credential as X-CSRF-Token. `sameSite`: that no page of another site made the browser
   * send it. Absent: no browser sends it by itself.
   */
  readonly csrf?: 'token' | 'sameSite'
  /** How OpenAPI shows it. */
  readonly describes: SecurityScheme
  /**
   * Null: this request carries no credential of this scheme, another may try.
   * @throws ApiError: it carries one, and it is bad; nobody else is asked
   */
  authenticate(request: FastifyRequest): Promise<Authenticated | null>
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

export function accepts({ schemes }: Access, scheme: Scheme): boolean {
  return schemes === undefined || schemes.includes(scheme)
}

/** What guards the route against cross-site request forgery; nothing where nothing is changed. */
export function csrfGuardsOf(
  method: string | readonly string[],
  { accepted = [], csrf }: RouteDeclaration,
): string[] {
  if (isSafe(method)) return []
  return csrf ? [csrf] : accepted.flatMap(({ csrf: guard = [] }) => guard)
}

/** The refusals of what is declared beside the handler's own, in the order in which they come. */
export function declaredErrors(declaration: RouteDeclaration): ErrorRow[] {
  const { reauthentication, required, requestHeaders: headers = [], resource } = declaration
  return [
    ...(required ? [required.error] : []),
    ...headers.map((header) => requestHeaders[header].error),
    ...(reauthentication ? ['recentLoginRequired' as const] : []),
    ...(resource ? [resource.missing] : []),
  ]
}

/** What contradicts itself in a declaration, or is missing; one sentence each, after "it". */
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
  const mistakes: readonly (readonly [boolean, string])[] = [
    [schemes.some((scheme) => !known.has(scheme)), 'accepts a scheme that nothing authenticates'],
    [access.schemes?.length === 0, 'accepts no scheme'],
    [isOpen && access.schemes !== undefined, 'is open to anyone, and names schemes'],
    [isOpen && silent === true, 'is open to anyone, and silent in its 401'],
    [
      decide(rule, null) !== false && config.reauthentication !== undefined,
      'is open to callers who have not logged in, and asks for a recent login',
    ],
    [isOpen && enrols === true, 'is open to anyone, and to an enrolment token'],
    [safe && csrf !== undefined, 'changes nothing, and declares a CSRF guard'],
    [!isOpen && csrf !== undefined, 'has callers whose credentials say what their CSRF guard is'],
    [!safe && isOpen && csrf === undefined, 'can be called by anyone, and declares no CSRF guard'],
    [
      !safe && config.rateLimit === 'exempt',
      'changes something, and is exempt from the rate limit',
    ],
    [safe && body !== 'none', 'changes nothing, and reads a body'],
    [body === 'none' && maxBodyBytes !== undefined, 'limits a body that it does not read'],
    [body === 'none' && schema?.body !== undefined, 'describes a body that it does not read'],
    [schema?.body === undefined && config.required !== undefined, 'requires fields of no body'],
    [(body === 'lines') !== (line?.body !== undefined), 'reads lines without saying of what'],
    [needsResource(rule) && !resource?.facts, 'has a rule about a resource that it does not load'],
    [resource !== undefined && !hasParameter(url, resource.param), 'has no path to its resource'],
    [headers.includes('if-match') && (safe || !resource), 'has nothing that If-Match compares'],
    [headers.includes('idempotency-key') && method !== 'POST', 'repeats what is no POST'],
    [
      (config.errors ?? []).some((error) => implied.has(error)),
      'lists an error that its declaration implies',
    ],
  ]
  return mistakes.filter(([isMade]) => isMade).map(([, mistake]) => mistake)
}

function hasParameter(url: string, name: string): boolean {
  return url.split('/').includes(`:${name}`)
}

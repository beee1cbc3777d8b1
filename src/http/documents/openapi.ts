import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { Config } from '../../config/load.ts'
import { type ErrorRow, problemOf } from '../../kernel/errors.ts'
import { decide } from '../../policy/decide.ts'
import { groupOf } from '../../policy/groups.ts'
import { describeRule } from '../../policy/rules.ts'
import { lineContentType } from '../bodies/long-bodies.ts'
import { type Authenticator, declaredErrors, type RouteDeclaration } from '../routes/declaration.ts'
import type { JsonSchema } from '../schemas.ts'
import { requestHeaders as known } from '../server/request-headers.ts'

/**
 * Creates the OpenAPI 3.1 document from the declarations of the routes: schemas, rules, security
 * schemes, and all errors.
 */
export async function registerOpenApi(
  app: FastifyInstance,
  { baseUrl }: Pick<Config, 'baseUrl'>,
): Promise<void> {
  const withoutBody = new Set<string>() // operations whose body is optional
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Gatehouse',
        version: '1',
        description: 'Authentication and users. Every error is JSON with a string `error`.',
      },
      servers: [{ url: baseUrl }],
      components: {
        securitySchemes: securitySchemes(app.authenticators),
        schemas: { Error: errorSchema },
      },
    },
    hideUntagged: false,
    transform: ({ schema, url, route }) => {
      const described = describe((schema ?? {}) as RouteSchema, route)
      if (/^(any|optional)$/.test(route.config?.body ?? ''))
        withoutBody.add(String(described.operationId))
      return { url, schema: described }
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { paths = {} } = document.openapiObject
      for (const { post } of Object.values(paths).filter((path) => path !== undefined)) {
        const body = post?.requestBody
        if (body && 'content' in body && withoutBody.has(post.operationId ?? '')) {
          body.required = false
        }
      }
      // Sorted by path, independent of the order of the rooms.
      const sorted = Object.entries(paths).sort(([left], [right]) => (left < right ? -1 : 1))
      Object.assign(document.openapiObject, { paths: Object.fromEntries(sorted) })
      return document.openapiObject
    },
  })
}

function securitySchemes(authenticators: readonly Authenticator[]) {
  return Object.fromEntries(authenticators.map(({ scheme, describes }) => [scheme, describes]))
}

const errorSchema = {
  type: 'object' as const,
  required: ['error'],
  properties: {
    error: { type: 'string' as const },
    details: {
      type: 'array' as const,
      items: {
        type: 'object' as const,
        required: ['path', 'message'],
        properties: {
          path: { type: 'array' as const, items: { type: 'string' as const } },
          message: { type: 'string' as const },
        },
      },
    },
    message: { type: 'string' as const, description: 'In development mode, of a 500 alone' },
    captcha: { type: 'object' as const, description: 'Of "Captcha required": the challenge' },
  },
}

/** The fields of `schema`, which Fastify's own type does not have. */
interface RouteSchema {
  readonly summary?: string
  readonly hide?: boolean
  readonly body?: JsonSchema
  readonly params?: JsonSchema
  readonly response?: Readonly<Record<string, JsonSchema>>
}

function describe(schema: RouteSchema, { config = {}, method, url }: RouteOptions): FastifySchema {
  const {
    access,
    accepted = [],
    body = 'none',
    describes,
    requestHeaders = [],
    line,
    query,
  } = config
  if (!access) return { hide: true } // CORS preflight
  const anonymous = decide(access.rule, null)
  return {
    ...schema,
    ...(query && { querystring: query }),
    ...(requestHeaders.length > 0 && { headers: headersOf(requestHeaders) }),
    description: descriptionOf(config),
    operationId: operationIdOf(String(method), url),
    tags: [config.tag ?? groupOf(url)?.tag ?? 'Authentication'],
    ...((body === 'form' || body === 'any') && {
      consumes: ['application/json', 'application/x-www-form-urlencoded'],
    }),
    ...(body === 'parameters' && { consumes: ['application/x-www-form-urlencoded'] }),
    ...(line?.body && { consumes: [lineContentType], body: line.body }),
    ...(line?.answer && { produces: [lineContentType] }),
    security:
      anonymous === true
        ? []
        : [
            ...(anonymous === undefined ? [{}] : []),
            ...accepted.map(({ scheme }) => ({ [scheme]: [] })),
          ],
    response: {
      ...(schema.response
        ? {}
        : { 200: described(line?.answer ?? describes ?? { type: 'string' }) }),
      ...Object.fromEntries(
        Object.entries(schema.response ?? {}).map(([status, answer]) => [
          status,
          described(answer),
        ]),
      ),
      ...errorResponses(errorsOf(schema, config).map((row) => rewordedAs(row, config))),
      ...(access.silent && { 401: { description: 'No session; no body', type: 'null' } }),
    },
  }
}

/** Describes the guards of an operation. */
function descriptionOf(config: RouteDeclaration): string {
  const { access, csrf, enrols, maxBodyBytes, reauthentication } = config
  return [
    access && `Access: ${describeRule(access.rule)}.`,
    maxBodyBytes && `Body: at most ${maxBodyBytes} bytes.`,
    reauthentication && reauthentications[reauthentication],
    enrols && 'An enrolment token opens it as well.',
    csrf === 'foreignPage' && 'Not for pages of other origins.',
  ]
    .filter(Boolean)
    .join(' ')
}

const reauthentications = {
  always: 'Wants a recent login.',
  conditional: 'Wants a recent login for some of what it can do.',
} as const

function headersOf(requestHeaders: readonly (keyof typeof known)[]) {
  const properties = requestHeaders.map((header) => {
    const { name, description } = known[header]
    return [name, { type: 'string', description }]
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function described(schema: JsonSchema) {
  return { description: 'Success', ...schema }
}

function errorsOf(schema: RouteSchema, config: RouteDeclaration): ErrorRow[] {
  const { access, accepted = [], body = 'none', csrf, errors = [], rateLimit } = config
  const isOpen = access?.rule.kind === 'anyone'
  return [
    'badRequest',
    ...(isOpen ? [] : refusalsOf(accepted)),
    ...(body === 'none' ? [] : ['invalidBody' as const]),
    ...(body === 'none' || body === 'lines' ? [] : ['bodyTooLarge' as const]),
    ...(schema.body ? ['validationFailed' as const] : []),
    ...declaredErrors(config),
    ...(csrf === 'foreignPage' ? ['accessDenied' as const] : []),
    ...errors,
    ...(rateLimit === 'exempt' ? [] : ['tooManyRequests' as const]),
    'internal',
    'serviceUnavailable',
  ]
}

/** The error that the route answers in place of one. */
function rewordedAs(row: ErrorRow, { rewords = {} }: RouteDeclaration): ErrorRow {
  return (typeof row === 'string' ? rewords[row] : undefined) ?? row
}

/** The errors of authentication and authorization. */
function refusalsOf(accepted: readonly Authenticator[]): ErrorRow[] {
  const [only, ...others] = accepted
  const isAlone = only !== undefined && others.length === 0
  const bearer = accepted.find(({ header }) => header === 'bearer')
  return [
    isAlone ? only.missing : 'authenticationRequired',
    'accessDenied',
    ...(bearer
      ? [(isAlone ? bearer.invalid : undefined) ?? ('invalidOrExpiredToken' as const)]
      : []),
    ...accepted.flatMap(({ errors = [] }) => errors),
  ]
}

function errorResponses(rows: readonly ErrorRow[]): Record<number, object> {
  const texts = new Map<number, Set<string>>()
  for (const row of rows) {
    const { status, error } = problemOf(row)
    texts.set(status, (texts.get(status) ?? new Set()).add(error))
  }
  return Object.fromEntries(
    [...texts].map(([status, errors]) => [
      status,
      {
        description: [...errors].join(' · '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    ]),
  )
}

/** Creates an operation id for generated clients, for example `putApiV1UsersId`. */
function operationIdOf(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
}

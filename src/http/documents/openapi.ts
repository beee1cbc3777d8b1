import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import type { Config } from '../../config/load.ts'
import { type ErrorName, errorTable } from '../../kernel/errors.ts'
import { decide } from '../../policy/decide.ts'
import { describeRule } from '../../policy/rules.ts'
import { accepts } from '../routes/access.ts'
import { lineContentType } from '../routes/long-bodies.ts'
import type { JsonSchema } from '../schemas.ts'
import { isExempt } from '../server/rate-limit.ts'

/**
 * The OpenAPI 3.1 document, from what each route declares: its schemas, who may call it and by which
 * schemes, and every error that it can answer.
 */
export async function registerOpenApi(
  app: FastifyInstance,
  { baseUrl, session }: Pick<Config, 'baseUrl' | 'session'>,
): Promise<void> {
  const withoutBody = new Set<string>() // operations that go without one as well
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
        securitySchemes: securitySchemes(session.cookieName),
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
      const { paths = {} } = 'openapiObject' in document ? document.openapiObject : {}
      for (const { post } of Object.values(paths).filter((path) => path !== undefined)) {
        const body = post?.requestBody
        if (body && 'content' in body && withoutBody.has(post.operationId ?? '')) {
          body.required = false
        }
      }
      return 'openapiObject' in document ? document.openapiObject : document.swaggerObject
    },
  })
}

function securitySchemes(cookieName: string) {
  return {
    basic: { type: 'http', scheme: 'basic' },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: cookieName,
      description: 'Unsafe methods need the header X-CSRF-Token as well.',
    },
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  } as const
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

/** What `schema` may hold here; Fastify's own type of it says less. */
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
    body = 'none',
    describes,
    requestHeaders = [],
    line,
    maxBodyBytes,
    query,
  } = config
  if (!access) return { hide: true } // CORS preflight
  const rule = describeRule(access.rule)
  const anonymous = decide(access.rule, null)
  const schemes = (['basic', 'session', 'bearer'] as const).filter((name) => accepts(access, name))
  return {
    ...schema,
    ...(query && { querystring: query }),
    ...(requestHeaders.length > 0 && { headers: headersOf(requestHeaders) }),
    description: `Access: ${rule}.${maxBodyBytes ? ` Body: at most ${maxBodyBytes} bytes.` : ''}`,
    operationId: operationIdOf(String(method), url),
    tags: [tagOf(url)],
    ...((body === 'form' || body === 'any') && {
      consumes: ['application/json', 'application/x-www-form-urlencoded'],
    }),
    ...(line?.body && { consumes: [lineContentType], body: line.body }),
    ...(line?.answer && { produces: [lineContentType] }),
    security:
      anonymous === true
        ? []
        : [...(anonymous === undefined ? [{}] : []), ...schemes.map((name) => ({ [name]: [] }))],
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
      ...errorResponses(errorsOf(url, schema, config)),
      ...(access.silent && { 401: { description: 'No session; no body', type: 'null' } }),
    },
  }
}

/** Headers that a route may be sent, and what each can refuse. */
const preconditions = {
  'if-match': {
    name: 'If-Match',
    description: 'The ETag of what the caller has seen: refused where it has changed since',
    error: 'preconditionFailed',
  },
  'idempotency-key': {
    name: 'Idempotency-Key',
    description: '1 to 255 visible ASCII characters: the same answer for 24 hours, done once',
    error: 'idempotencyKeyReused',
  },
} as const

function headersOf(requestHeaders: readonly (keyof typeof preconditions)[]) {
  const properties = requestHeaders.map((header) => {
    const { name, description } = preconditions[header]
    return [name, { type: 'string', description }]
  })
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function described(schema: JsonSchema) {
  return { description: 'Success', ...schema }
}

function errorsOf(
  url: string,
  schema: RouteSchema,
  config: NonNullable<RouteOptions['config']>,
): ErrorName[] {
  const {
    access,
    accepted = [],
    body = 'none',
    requestHeaders = [],
    required,
    errors = [],
  } = config
  const isOpen = access?.rule.kind === 'anyone'
  const [only, ...others] = accepted
  const missing = only && others.length === 0 ? only.missing : 'authenticationRequired'
  const bearer = accepted.find(({ header }) => header === 'bearer')
  return [
    'badRequest',
    ...(isOpen ? [] : [missing, 'accessDenied' as const]),
    ...(!isOpen && bearer ? [badToken(others.length === 0 ? bearer.invalid : undefined)] : []),
    ...(!isOpen && accepted.some(({ scheme }) => scheme === 'session')
      ? ['csrfTokenInvalid' as const]
      : []),
    ...(!isOpen && accepted.some(({ scheme }) => scheme === 'basic')
      ? ['tooManyLoginAttempts' as const]
      : []),
    ...(body === 'none' ? [] : ['invalidBody' as const]),
    ...(body === 'none' || body === 'lines' ? [] : ['bodyTooLarge' as const]),
    ...(schema.body ? ['validationFailed' as const] : []),
    ...(required ? [required.error] : []),
    ...requestHeaders.map((header) => preconditions[header].error),
    ...errors,
    ...(isExempt(url) ? [] : ['tooManyRequests' as const]),
    'internal',
    'serviceUnavailable',
  ]
}

function badToken(only: ErrorName | undefined): ErrorName {
  return only ?? 'invalidOrExpiredToken'
}

function errorResponses(names: readonly ErrorName[]): Record<number, object> {
  const texts = new Map<number, Set<string>>()
  for (const name of names) {
    const { status, error } = errorTable[name]
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

/** `putApiV1UsersId`: a name for generated clients. */
function operationIdOf(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return method.toLowerCase() + words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join('')
}

function tagOf(url: string): string {
  if (/\/users(\/|$)/.test(url)) return 'Users'
  if (/\/posts(\/|$)/.test(url)) return 'Posts'
  if (url.startsWith('/api/admin')) return 'Administration'
  if (/^\/(health|api\/public|api\/docs|api\/openapi)/.test(url)) return 'Service'
  return 'Authentication'
}

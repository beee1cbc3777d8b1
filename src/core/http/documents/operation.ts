import type { FastifySchema, RouteOptions } from 'fastify'
import { decide } from '../../policy/decide.ts'
import { describeRule } from '../../policy/rules.ts'
import type { BodyKind } from '../bodies/bodies.ts'
import { longMediaTypes } from '../bodies/long-bodies.ts'
import { mediaTypes } from '../media-types.ts'
import { csrfGuardsOf, type RouteDeclaration } from '../routes/declaration.ts'
import type { JsonSchema } from '../schemas.ts'
import { nameOf } from '../tags.ts'
import type { Components } from './components.ts'
import { type ErrorOptions, errorAnswers } from './error-answers.ts'
import { csrfParameter, headersOf, parametersOf } from './headers.ts'
import { media } from './media.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Request headers required from a proxy. */
    proxyHeaders?: JsonSchema
  }
}

/** Empty: no body is read. */
const acceptedTypes: Readonly<Record<BodyKind, readonly string[]>> = {
  none: [],
  json: [mediaTypes.json],
  optional: [mediaTypes.json],
  form: [mediaTypes.json, mediaTypes.form],
  any: [mediaTypes.json, mediaTypes.form],
  parameters: [mediaTypes.form],
  lines: longMediaTypes,
}

export function operationOf(
  components: Components,
  route: RouteOptions,
  options: ErrorOptions,
): object {
  const { config = {}, schema = {} } = route
  const parameters = [
    ...pathParameters(components, route),
    ...queryParameters(components, config.query),
    ...proxyParameters(components, config.proxyHeaders),
    ...headerParameters(components, route),
  ]
  const requestBody = bodyOf(components, schema, config)
  return {
    operationId: schema.operationId,
    tags: config.tag ? [nameOf(config.tag)] : [],
    summary: schema.summary,
    description: descriptionOf(route),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      ...successes(components, schema, config),
      ...errorAnswers(components, route, options),
    },
    security: securityOf(config),
  }
}

/** `/users/{id}` of `/users/:id`. */
export function pathOf({ url }: Pick<RouteOptions, 'url'>): string {
  return url.replace(/:(\w+)/g, '{$1}')
}

/** The guards of the operation. */
function descriptionOf({ config = {}, exposeHeadRoute }: RouteOptions) {
  const { access, body, csrf, enrols, maxBodyBytes, reauthentication } = config
  return [
    access && `Access: ${describeRule(access.rule)}.`,
    maxBodyBytes && `Body: at most ${maxBodyBytes} bytes.`,
    body === 'any' && 'A body that is longer, or that cannot be read, counts as none.',
    reauthentication && reauthentications[reauthentication],
    enrols && 'An enrolment token opens it as well.',
    csrf === 'foreignPage' && 'Not for pages of other origins.',
    exposeHeadRoute === false && 'HEAD is 404: a GET begins something or uses something up.',
  ]
    .filter(Boolean)
    .join(' ')
}

const reauthentications = {
  always: 'Wants a recent login.',
  mfa: 'Wants a recent login with two factors.',
  conditional: 'Wants a recent login for some of what it can do.',
} as const

/** An empty entry: no credential required. */
function securityOf({ access, accepted = [] }: RouteDeclaration): object[] {
  const anonymous = access && decide(access.rule, null)
  if (anonymous === true) return []
  const schemes = accepted.map(({ scheme }) => ({ [scheme]: [] }))
  return anonymous === undefined ? [{}, ...schemes] : schemes
}

function pathParameters(components: Components, { url, config, schema }: RouteOptions): object[] {
  const described = propertiesOf(config?.params ?? (schema?.params as JsonSchema | undefined))
  const names = [...url.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  return names.map((name) =>
    parameter(components, name, 'path', described[name] ?? { type: 'string' }),
  )
}

function queryParameters(components: Components, query: JsonSchema | undefined): object[] {
  return Object.entries(propertiesOf(query)).map(([name, schema]) =>
    parameter(components, name, 'query', schema),
  )
}

/** All required. */
function proxyParameters(components: Components, headers: JsonSchema | undefined): object[] {
  return Object.entries(propertiesOf(headers)).map(([name, schema]) =>
    parameter(components, name, 'header', schema),
  )
}

function parameter(
  components: Components,
  name: string,
  place: 'path' | 'query' | 'header',
  { description, examples, ...schema }: JsonSchema,
): object {
  return {
    name,
    in: place,
    ...(place !== 'query' && { required: true }),
    ...(description !== undefined && { description }),
    schema: components.schema(schema),
    ...(Array.isArray(examples) && { example: examples[0] }),
  }
}

function propertiesOf(schema: JsonSchema | undefined): Record<string, JsonSchema> {
  return (schema?.properties ?? {}) as Record<string, JsonSchema> // JSON Schema says so
}

function headerParameters(components: Components, { method, config = {} }: RouteOptions): object[] {
  const { accepted = [], requestHeaders = [] } = config
  const needsToken = csrfGuardsOf(method, config).includes('token')
  return [
    ...parametersOf(components, requestHeaders),
    ...(needsToken ? [csrfParameter(components, accepted.length === 1)] : []),
  ]
}

function bodyOf(
  components: Components,
  schema: FastifySchema,
  { body = 'none', examples, line, sends }: RouteDeclaration,
): object | undefined {
  const taken = sends ?? line ?? (schema.body as JsonSchema | undefined) ?? anyJson
  const types = acceptedTypes[body]
  if (types.length === 0) return undefined
  const given = { one: examples?.body, several: examples?.bodies }
  const content = types.map((type) => [
    type,
    body === 'lines'
      ? media(components, long[type]?.(taken) ?? taken)
      : media(components, taken, given),
  ])
  return {
    ...(body === 'lines' && {
      description:
        'JSON Lines (the schema is that of one), an array of JSON, or CSV; the content decides',
    }),
    required: body !== 'optional' && body !== 'any',
    content: Object.fromEntries(content),
  }
}

/** Schemas of long bodies, by the schema of a line. */
const long: Readonly<Record<string, (line: JsonSchema) => JsonSchema>> = {
  [mediaTypes.json]: (items) => ({ type: 'array', items }),
  [mediaTypes.csv]: () => ({
    type: 'string',
    description: 'RFC 4180; the first line names the fields of a line of JSON',
    examples: ['username,roles,name,email\r\nbea,USER,Bea Example,bea@example.org\r\n'],
  }),
}

const anyJson = { type: 'object', examples: [{}] } as const

function successes(
  components: Components,
  schema: FastifySchema,
  { answers = {}, examples, responseHeaders = [] }: RouteDeclaration,
): Record<string, object> {
  const serialized = Object.entries((schema.response ?? {}) as Record<string, JsonSchema>)
  const all = [
    ...serialized.map(([status, one]) => [status, { [mediaTypes.json]: one }] as const),
    ...Object.entries(answers),
  ]
  return Object.fromEntries(
    all.map(([status, byType]) => {
      const content = Object.entries(byType).map(([type, one]) => [
        type,
        media(components, one, type === mediaTypes.json ? { one: examples?.answer } : {}),
      ])
      const isRedirect = status.startsWith('3')
      const headers = [...responseHeaders, ...(isRedirect ? (['location'] as const) : [])]
      return [
        status,
        {
          description: statusTexts[status] ?? 'Success',
          headers: headersOf(components, headers),
          ...(content.length > 0 && { content: Object.fromEntries(content) }),
        },
      ]
    }),
  )
}

const statusTexts: Readonly<Record<string, string>> = {
  201: 'Created',
  302: 'Found: the browser is sent to the sign-in',
  303: 'See Other: the browser goes on',
}

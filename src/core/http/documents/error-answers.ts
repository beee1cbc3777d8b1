import type { RouteOptions } from 'fastify'
import { errorTable } from '../../error-table.ts'
import { type ErrorName, problemOf } from '../../errors.ts'
import { decide } from '../../policy/decide.ts'
import { canDeny, scopesOf } from '../../policy/rules.ts'
import { refusesBodies } from '../bodies/bodies.ts'
import { capitalized, type DeclaredError, errorNameOf, rowOf } from '../declared-error.ts'
import { mediaTypes } from '../media-types.ts'
import type { ResponseHeader } from '../response-headers.ts'
import {
  csrfGuardsOf,
  declaredErrors,
  onlyNamed,
  type RouteDeclaration,
} from '../routes/declaration.ts'
import { type JsonSchema, namingOf, Page } from '../schemas.ts'
import type { Components, Reference } from './components.ts'
import { ErrorBody, InternalError, ValidationError } from './error-schemas.ts'
import { headersOf } from './headers.ts'
import { media } from './media.ts'

/** OpenAPI errors of operations, each status once. */

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Additional response headers of errors, by status. */
    errorHeaders?: Readonly<Record<number, readonly ResponseHeader[]>>
  }
}

type Route = Pick<RouteOptions, 'config' | 'method' | 'schema'>

/** Possible for every operation. */
const shared: readonly ErrorName[] = [
  'badRequest',
  'requestTimeout',
  'bodyTooLarge',
  'expectationFailed',
  'headerFieldsTooLarge',
  'internal',
  'serviceUnavailable',
]

/** Bodies of common errors with fields besides `error`. */
const bodies: Readonly<Record<string, readonly JsonSchema[]>> = {
  validationFailed: [ValidationError],
  nameAndEmailRequired: [ValidationError],
  internal: [ErrorBody, InternalError],
} satisfies Partial<Record<ErrorName, readonly JsonSchema[]>>

export interface ErrorOptions {
  readonly isRateLimited: boolean
}

/** Errors by status; `default`: errors of every operation. */
export function errorAnswers(
  components: Components,
  route: Route,
  options: ErrorOptions,
): Record<string, object> {
  const { config = {} } = route
  const byStatus = Map.groupBy(errorsOf(route, options), (error) => problemOf(rowOf(error)).status)
  const answers = [...byStatus]
    .sort(([left], [right]) => left - right)
    .map(([status, errors]) => {
      if (status === 401 && config.access?.silent) return [status, silent(components)] as const
      // A listed status hides `default`.
      const others = shared.filter((row) => problemOf(row).status === status)
      const more = status === 415 ? (['accept-encoding'] as const) : config.errorHeaders?.[status]
      return [status, answer(components, [...errors, ...others], config, { more })] as const
    })
  return {
    ...Object.fromEntries(answers),
    default: answer(components, shared, config, { name: 'AnyOperation' }),
  }
}

/** In the order of the checks. */
function errorsOf({ config = {}, method, schema }: Route, options: ErrorOptions): DeclaredError[] {
  const { body = 'none', errors = [], rateLimit } = config
  const guards = csrfGuardsOf(method, config)
  const all: DeclaredError[] = [
    ...(options.isRateLimited && rateLimit !== 'exempt' ? ['tooManyRequests' as const] : []),
    ...refusalsOf(config),
    ...(guards.includes('token') ? ['csrfTokenInvalid' as const] : []),
    ...(guards.some((guard) => guard === 'sameSite' || guard === 'foreignPage')
      ? ['accessDenied' as const]
      : []),
    ...(refusesBodies(body) ? ['invalidBody' as const] : []),
    ...(refusesBodies(body) && body !== 'lines' ? ['bodyTooLarge' as const] : []),
    ...(refusesBodies(body) ? ['unsupportedMediaType' as const] : []),
    ...(refusesBodies(body) && schema?.body ? ['validationFailed' as const] : []),
    ...declaredErrors(config),
    ...errors,
  ]
  return all.map((error) => reworded(error, config))
}

function reworded(error: DeclaredError, { rewords = {} }: RouteDeclaration): DeclaredError {
  return (typeof error === 'string' ? rewords[error as ErrorName] : undefined) ?? error
}

function refusalsOf(declaration: RouteDeclaration): DeclaredError[] {
  const { access, accepted = [] } = declaration
  if (!access || decide(access.rule, null) === true) return []
  const only = onlyNamed(declaration)
  return [
    only?.missing ?? 'authenticationRequired',
    ...accepted.flatMap(({ invalid }) => (invalid ? [only ? invalid.alone : invalid.error] : [])),
    ...(canDeny(access.rule) ? ['accessDenied' as const] : []),
    ...accepted.flatMap(({ errors = [] }) => errors),
  ]
}

/** A 401 without a body. */
function silent(components: Components): object {
  return { description: 'No session; no body', headers: headersOf(components, []) }
}

/** Shared by operations with the same errors. */
function answer(
  components: Components,
  errors: readonly DeclaredError[],
  config: RouteDeclaration,
  given: { readonly name?: string; readonly more?: readonly ResponseHeader[] | undefined },
): Reference {
  const inOrder = errors.toSorted((left, right) => placeOf(left) - placeOf(right))
  const byName = new Map(inOrder.map((error) => [errorNameOf(rowOf(error)), error] as const))
  const names = [...byName.keys()]
  const texts = [...byName.values()].map((error) => problemOf(rowOf(error)))
  const [header, suffix] = challengeOf(
    names,
    texts.some(({ isChallenged }) => isChallenged),
    config,
  )
  const retry: ResponseHeader[] = texts.some(({ isRetried }) => isRetried) ? ['retry-after'] : []
  const schemas = [...new Set([...byName.values()].flatMap(bodiesOf))].map(components.schema)
  const [only, ...more] = schemas
  const examples = [...byName].map(([name, error]) => [
    name,
    components.add('examples', name, { value: exampleOf(error) }),
  ])
  const { more: further = [] } = given
  const named = (given.name ?? names.map(capitalized).join('_')) + suffix
  const extra = further.includes('sign-in') ? '_OrSignIn' : '_WithCookie'
  const name = further.includes('set-cookie') ? named + extra : named
  const isPage = config.errorPage !== undefined
  return components.add('responses', isPage ? `${name}_OrPage` : name, {
    description: texts.map(({ error }) => error).join(' · '),
    headers: headersOf(components, [...header, ...retry, ...further]),
    content: {
      [mediaTypes.json]: {
        schema: more.length === 0 ? only : { oneOf: schemas },
        examples: Object.fromEntries(examples),
      },
      ...(isPage && { [mediaTypes.html]: media(components, Page) }),
    },
  })
}

const table = Object.keys(errorTable)

/** Order of the error table; module errors before or after a row. */
function placeOf(error: DeclaredError): number {
  const row = rowOf(error)
  if (typeof row === 'string') return table.indexOf(row)
  return row.before ? table.indexOf(row.before) - 0.5 : table.length
}

/** The WWW-Authenticate challenge, and the suffix that distinguishes responses. */
function challengeOf(
  names: readonly string[],
  isOfCredentials: boolean,
  { access, accepted = [], scope }: RouteDeclaration,
): [ResponseHeader[], string] {
  const isChallenged = accepted.some(({ challenge }) => challenge !== undefined)
  if (isOfCredentials) {
    return isChallenged ? [['www-authenticate'], ''] : [[], '_WithoutChallenge']
  }
  const hasScope = scope || (access && scopesOf(access.rule).length > 0)
  const namesScopes = hasScope && names.includes('accessDenied')
  return namesScopes && isChallenged ? [['www-authenticate'], '_WithChallenge'] : [[], '']
}

function bodiesOf(error: DeclaredError): readonly JsonSchema[] {
  if (typeof error === 'object' && 'body' in error) return [error.body]
  return bodies[errorNameOf(error)] ?? [ErrorBody]
}

function exampleOf(error: DeclaredError): unknown {
  const [body = ErrorBody] = bodiesOf(error)
  return { ...Object(namingOf(body)?.example), error: problemOf(rowOf(error)).error }
}

import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Config } from '../../config/load.ts'
import { packageVersion } from '../../config/version.ts'
import { inOrder, nameOf } from '../tags.ts'
import { createComponents } from './components.ts'
import { operationOf, pathOf } from './operation.ts'

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: {
    readonly title: string
    readonly version: string
    readonly description: string
    readonly license: object
  }
  readonly externalDocs?: object
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>
  readonly components: Readonly<Record<string, object>>
}

/** Newcomers need this first. */
const firstPath = '/login'

/**
 * Slow: cache the result. docs/adr/0039
 * @throws Error for an operation without a tag or a unique id
 */
export function openApiOf({
  authenticators,
  declared: { routes, config },
}: Pick<FastifyInstance, 'authenticators' | 'declared'>): OpenApiDocument {
  const shown = routes.filter(({ config, schema }) => config?.access && !schema?.hide)
  assertNamed(shown)
  const tags = inOrder(shown.flatMap(({ config }) => config?.tag ?? []))
  const places = new Map(tags.map(({ name }, index) => [name, index]))
  const placeOf = (route: RouteOptions): number => {
    const { tag } = route.config ?? {}
    return pathOf(route) === firstPath ? -1 : tag ? (places.get(nameOf(tag)) ?? 0) : 0
  }
  // Keeps the order of modules and routes within a tag.
  const sorted = shown.toSorted((left, right) => placeOf(left) - placeOf(right))
  const page = routes.find((route) => route.config?.isReference)
  const components = createComponents()
  const isRateLimited = config.http.rateLimit.max > 0
  const paths: Record<string, Record<string, object>> = {}
  for (const route of sorted) {
    const path = pathOf(route)
    const method = String(route.method).toLowerCase()
    paths[path] = { ...paths[path], [method]: operationOf(components, route, { isRateLimited }) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gatehouse',
      version: packageVersion(),
      description: descriptionFor(config),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    ...(page && {
      externalDocs: { description: page.schema?.summary, url: config.baseUrl + page.url },
    }),
    servers: [{ url: config.baseUrl, description: 'This service' }],
    tags,
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        authenticators.map(({ scheme, describes }) => [scheme, describes]),
      ),
      ...components.all(),
    },
  }
}

function assertNamed(routes: readonly RouteOptions[]): void {
  const known = new Map<string, string>()
  for (const { method, url, config, schema } of routes) {
    const route = `${method} ${url}`
    const id = schema?.operationId
    if (id === undefined) throw new Error(`${route} has no operationId`)
    if (known.has(id)) throw new Error(`${route} has the operationId of ${known.get(id)}: ${id}`)
    if (!config?.tag) throw new Error(`${route} has no tag`)
    known.set(id, route)
  }
}

function descriptionFor({ session }: Pick<Config, 'session'>): string {
  return `Authentication and users.

**To authenticate**, log in by \`POST /login\`:

- \`mode=session\` (the default of a form) sets the cookie \`${session.cookieName}\` and answers a \`csrf_token\`. A browser sends the cookie by itself; a request that changes something needs the token as well, in the header \`X-CSRF-Token\`.
- \`mode=token\` (the default of JSON) answers a \`token\`, to be sent as \`Authorization: Bearer TOKEN\`.
- \`mode=pair\` answers an \`access_token\` and a \`refresh_token\`, which \`POST /refresh\` takes when the first has expired.

Or send the username and the password with each request, as HTTP Basic.

**Errors** are JSON with a text \`error\`, the same for the same cause. Each operation lists the errors that its own work can have; \`default\` stands for those that any request can have. Which errors, roles and rules there are depends on the settings of the service: this document is of the settings in force.

**HEAD** answers wherever GET does, with the same status and headers. Where a GET uses something up, begins a flow or issues a ticket, HEAD is 404 and changes nothing.

**Bodies** are UTF-8 without a content coding. Another charset or Content-Encoding is 415 where a body is read, and ignored where none is, and by \`POST /logout\`.

**Fields** that are not described are ignored in a request, and never sent in an answer.`
}

import type { FastifyInstance } from 'fastify'
import { openApiOf } from '../../src/core/http/documents/openapi.ts'
import type { Schema } from './schemas.ts'

/** The parts of an OpenAPI document that answers are compared with. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

export interface Operation {
  readonly operationId?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly { readonly name?: string; readonly schema?: Schema }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaTypeObject>> }
  readonly responses: Readonly<Record<string, ResponseObject>>
}

export interface ResponseObject {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, MediaTypeObject>>
  readonly headers?: Readonly<Record<string, HeaderObject>>
}

export interface MediaTypeObject {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly $ref?: string; readonly value?: unknown }>>
}

export interface HeaderObject {
  readonly $ref?: string
  readonly required?: boolean
  readonly schema?: Schema
}

const settingsOf = new WeakMap<FastifyInstance, string>()
const given = new WeakMap<FastifyInstance, ApiDocument>()
const bySettings = new Map<string, ApiDocument>()
/** Most settings change nothing of an operation: the same document keeps what is compiled for it. */
const byText = new Map<string, ApiDocument>()

/** Names what the documents of an app depend on, so that they are made once for all apps with the same. */
export function describeSettings(app: FastifyInstance, settings: object): void {
  settingsOf.set(app, JSON.stringify(settings))
}

/** Gives a server without modules a document. */
export function describeBy(app: FastifyInstance, document: ApiDocument): void {
  given.set(app, document)
}

/** Whether the app has modules or a document of its own. */
export function isDescribed(app: FastifyInstance): boolean {
  return given.has(app) || 'declared' in app
}

/**
 * The OpenAPI document of an app, with the operation at this place alone, because a document of all
 * is slow; without a place, of all operations.
 */
export function documentFor(app: FastifyInstance, place?: OperationPlace): ApiDocument {
  const known = given.get(app)
  if (known) return known
  const settings = settingsOf.get(app)
  if (settings === undefined) return make(app, place)
  const name = place ? `${place.method} ${place.path}` : 'all'
  return bySettings.getOrInsertComputed(`${name} ${settings}`, () => make(app, place))
}

export interface OperationPlace {
  readonly method: string
  /** As the document writes it. */
  readonly path: string
}

function make({ authenticators, declared }: FastifyInstance, place?: OperationPlace): ApiDocument {
  const routes = place
    ? declared.routes.filter(
        ({ method, url }) => method === place.method && documentedPath(url) === place.path,
      )
    : declared.routes
  const { paths, components } = openApiOf({ authenticators, declared: { ...declared, routes } })
  // As clients read it: without what JSON leaves out.
  const text = JSON.stringify({ paths, components })
  return byText.getOrInsertComputed(text, () => JSON.parse(text))
}

/** By which of its answers an operation documents a status: `default` is of refusals alone. */
export function documentedBy({ responses }: Operation, status: number): string | undefined {
  const names = status < 400 ? [String(status)] : [String(status), 'default']
  return names.find((name) => name in responses)
}

/** The path of a route as a document writes it: `/users/{id}` of `/users/:id`. */
export function documentedPath(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}')
}

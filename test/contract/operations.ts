import { createHash } from 'node:crypto'
import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Schema } from './schemas.ts'

/** The parts of an OpenAPI document that answers are compared with. */
export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

export interface Operation {
  readonly operationId?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly responses: Readonly<Record<string, ResponseObject>>
}

export interface ResponseObject {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
  readonly headers?: Readonly<Record<string, HeaderObject>>
}

export interface HeaderObject {
  readonly $ref?: string
  readonly required?: boolean
  readonly schema?: Schema
}

const routesOf = new WeakMap<FastifyInstance, RouteOptions[]>()
const documentOf = new WeakMap<FastifyInstance, ApiDocument | null>()
const byDeclarations = new Map<string, ApiDocument>()

/** Remembers what the routes of an app declare, from which its document is made. */
export function followRoutes(app: FastifyInstance): void {
  const routes: RouteOptions[] = []
  routesOf.set(app, routes)
  app.addHook('onRoute', (route) => void routes.push(route))
}

/**
 * The OpenAPI document of an app, made once for all apps whose routes declare the same; null for a
 * server without one.
 */
export function documentFor(app: FastifyInstance): ApiDocument | null {
  const known = documentOf.get(app)
  if (known !== undefined) return known
  const made = 'openapi' in app ? make(app) : null
  documentOf.set(app, made)
  return made
}

function make(app: FastifyInstance): ApiDocument {
  const routes = routesOf.get(app) ?? []
  const declared = routes.map(({ method, url, schema, config }) => ({
    method,
    url,
    schema,
    config,
  }))
  const key = createHash('sha1').update(JSON.stringify(declared)).digest('base64')
  const known = byDeclarations.get(key)
  if (known) return known
  // As clients read it: without what JSON leaves out.
  const document: ApiDocument = JSON.parse(JSON.stringify(app.openapi()))
  byDeclarations.set(key, document)
  return document
}

/** The path of a route as a document writes it: `/users/{id}` of `/users/:id`. */
export function documentedPath(url: string): string {
  return url.replace(/:(\w+)/g, '{$1}')
}

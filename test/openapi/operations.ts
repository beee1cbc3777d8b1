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
const documentOf = new WeakMap<FastifyInstance, ApiDocument | null>()
const bySettings = new Map<string, ApiDocument>()
/** Most settings change nothing of the document: the same one keeps what is compiled for it. */
const byText = new Map<string, ApiDocument>()

/** Names what the document of an app depends on, so that it is made once for all apps with the same. */
export function describeSettings(app: FastifyInstance, settings: object): void {
  settingsOf.set(app, JSON.stringify(settings))
}

/** Gives a server without modules a document. */
export function describeBy(app: FastifyInstance, document: ApiDocument): void {
  documentOf.set(app, document)
}

/** The OpenAPI document of an app; null for a server without one. */
export function documentFor(app: FastifyInstance): ApiDocument | null {
  const known = documentOf.get(app)
  if (known !== undefined) return known
  const made = 'declared' in app ? make(app) : null
  documentOf.set(app, made)
  return made
}

function make(app: FastifyInstance): ApiDocument {
  const settings = settingsOf.get(app)
  const known = settings === undefined ? undefined : bySettings.get(settings)
  if (known) return known
  // As clients read it: without what JSON leaves out.
  const { paths, components } = openApiOf(app)
  const text = JSON.stringify({ paths, components })
  const document = byText.getOrInsertComputed(text, (given): ApiDocument => JSON.parse(given))
  if (settings !== undefined) bySettings.set(settings, document)
  return document
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

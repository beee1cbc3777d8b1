import type { ApiDocument, Operation } from '../../test/openapi/operations.ts'
import { resolved, type Schema } from '../../test/openapi/schemas.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  readonly required: boolean
  readonly schema: Schema
  readonly example: unknown
}

export interface Body {
  readonly mediaType: string
  readonly schema: Schema
  readonly examples: readonly unknown[]
}

export interface FuzzedOperation {
  /** `PUT /users/{id}` */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly parameters: readonly Parameter[]
  readonly bodies: readonly Body[]
  /** Names of security schemes; empty: for anyone. */
  readonly schemes: readonly string[]
}

interface ParameterObject {
  readonly name: string
  readonly in: Parameter['in']
  readonly required?: boolean
  readonly schema?: Schema
  readonly example?: unknown
}

type Described = Operation & { readonly parameters?: readonly object[] }

/** Reads all operations of a document, with what they refer to. */
export function operationsOf(document: ApiDocument): FuzzedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries<Described>(methods)
      .filter(([, operation]) => operation.responses)
      .map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: (operation.parameters ?? []).map((one) => parameterOf(one, document)),
        bodies: bodiesOf(operation, document),
        schemes: (operation.security ?? []).flatMap((each) => Object.keys(each)),
      })),
  )
}

function parameterOf(given: object, document: ApiDocument): Parameter {
  // What a reference of a parameter names is a parameter.
  const found = resolved(given, document) as ParameterObject
  const { name, required = false, schema = {}, example } = found
  return { name, in: found.in, required, schema, example }
}

function bodiesOf({ requestBody }: Described, document: ApiDocument): Body[] {
  return Object.entries(requestBody?.content ?? {}).map(([mediaType, media]) => {
    const named = Object.values(media.examples ?? {}).map(({ value }) => value)
    const all = [media.example, ...named].filter((one) => one !== undefined)
    return { mediaType, schema: resolved(media.schema ?? {}, document), examples: all }
  })
}

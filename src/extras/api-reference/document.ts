/** The parts of OpenAPI 3.1 in use. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description?: string }
  readonly servers?: readonly { readonly url: string }[]
  readonly tags?: readonly { readonly name: string; readonly description?: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly tags?: readonly string[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: RequestBody | Reference
  readonly responses?: Readonly<Record<string, Answer | Reference>>
}

export interface Reference {
  readonly $ref: string
}

export interface Parameter extends Example {
  readonly name: string
  readonly in: string
  readonly description?: string
  readonly required?: boolean
  readonly schema?: Schema
}

export interface RequestBody {
  readonly description?: string
  readonly required?: boolean
  readonly content: Readonly<Record<string, MediaType>>
}

export interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Readonly<Record<string, MediaType>>
}

export interface Header {
  readonly description?: string
  readonly schema?: Schema
}

export interface MediaType extends Example {
  readonly schema?: Schema
}

export interface Example {
  readonly example?: unknown
  readonly examples?: Readonly<
    Record<string, { readonly summary?: string; readonly value?: unknown }>
  >
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly additionalProperties?: boolean | Schema
}

export interface SecurityScheme {
  readonly type: string
  readonly scheme?: string
  readonly in?: string
  readonly name?: string
  readonly description?: string
}

export interface Listed {
  readonly id: string
  readonly path: string
  readonly method: string
  readonly operation: Operation
}

export interface Group {
  readonly name: string
  readonly description: string
  readonly operations: readonly Listed[]
}

const methods = new Set(['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'])
const first = '/login'

/** By first tag, in document order; without tags, `/login` comes first, then by name. */
export function groupsOf({ paths, tags = [] }: ApiDocument): Group[] {
  const listed = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) => ({
        id: idOf(method, path, operation),
        path,
        method,
        operation,
      })),
  )
  const byTag = Map.groupBy(listed, ({ operation }) => operation.tags?.[0] ?? 'Other')
  const entry = listed.find(({ path }) => path === first)?.operation.tags?.[0] ?? ''
  const rank = new Map(tags.map(({ name }, index) => [name, index]))
  const rankOf = (name: string) => rank.get(name) ?? (name === entry ? -1 : tags.length)
  return [...byTag]
    .toSorted(([one], [other]) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1))
    .map(([name, operations]) => ({
      name,
      description: tags.find((tag) => tag.name === name)?.description ?? '',
      // Stable sort: others keep document order.
      operations: operations.toSorted((one, other) => entryLast(other) - entryLast(one)),
    }))
}

function entryLast({ path }: Listed): number {
  return path === first ? 1 : 0
}

function idOf(method: string, path: string, { operationId }: Operation): string {
  return operationId ?? `${method}${path.replace(/[^A-Za-z0-9]+/g, '-')}`
}

/** Unknown references are empty objects. */
export function resolve<T extends object>(document: ApiDocument, value: T | Reference): T {
  const { $ref } = value as Partial<Reference>
  if ($ref === undefined) return value as T
  let found: unknown = document
  for (const part of $ref.replace(/^#\//, '').split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    found = (found as Record<string, unknown> | undefined)?.[key]
  }
  return (found ?? {}) as T // of the referenced type
}

/** The last part of the reference. */
export function nameOf({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1)
}

/** In document order; empty: public. */
export function schemesOf(document: ApiDocument, { security = [] }: Operation) {
  const known = document.components?.securitySchemes ?? {}
  return security
    .flatMap((entry) => Object.keys(entry))
    .map((name) => ({ name, scheme: (known[name] ?? { type: 'unknown' }) as SecurityScheme })) // by OpenAPI
}

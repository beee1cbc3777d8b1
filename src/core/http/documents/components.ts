import { type JsonSchema, namingOf } from '../schemas.ts'

/** In document order. */
const kinds = ['schemas', 'responses', 'parameters', 'headers', 'examples'] as const
export type ComponentKind = (typeof kinds)[number]

export interface Reference {
  readonly $ref: string
}

/** Shared parts of a document. */
export interface Components {
  /** @throws Error if another part has the name */
  add(kind: ComponentKind, name: string, part: unknown): Reference
  /** Replaces named schemas by references. */
  schema(schema: JsonSchema): JsonSchema
  /** Sorted by name. */
  all(): Readonly<Record<ComponentKind, object>>
}

export function createComponents(): Components {
  const parts = new Map(kinds.map((kind) => [kind, new Map<string, string>()]))

  function add(kind: ComponentKind, name: string, part: unknown): Reference {
    const text = JSON.stringify(part)
    const known = parts.get(kind)?.get(name)
    if (known !== undefined && known !== text) {
      throw new Error(`OpenAPI would have two ${kind} with the name ${name}`)
    }
    parts.get(kind)?.set(name, text)
    return { $ref: `#/components/${kind}/${name}` }
  }

  function schema(given: JsonSchema): JsonSchema {
    const naming = namingOf(given)
    if (!naming) return withReferences(given)
    return {
      ...add('schemas', naming.name, { ...withReferences(given), examples: [naming.example] }),
    }
  }

  function withReferences(given: JsonSchema): JsonSchema {
    const entries = Object.entries(given).filter((entry) => !isInternal(entry))
    return Object.fromEntries(entries.map(([keyword, value]) => [keyword, shown(keyword, value)]))
  }

  /** Replaces schemas within a keyword's value. */
  function shown(keyword: string, value: unknown): unknown {
    if (keyword === 'properties') {
      const properties = Object.entries(value as Record<string, JsonSchema>) // JSON Schema says so
      return Object.fromEntries(properties.map(([name, one]) => [name, schema(one)]))
    }
    if (unions.has(keyword)) return (value as JsonSchema[]).map(schema)
    const isSchema = keyword === 'items' || keyword === 'additionalProperties'
    return isSchema && typeof value === 'object' ? schema(value as JsonSchema) : value
  }

  return {
    add,
    schema,
    all: () =>
      Object.fromEntries(
        kinds.map((kind) => {
          const sorted = [...(parts.get(kind) ?? [])].sort(([left], [right]) =>
            compare(left, right),
          )
          return [kind, Object.fromEntries(sorted.map(([name, text]) => [name, JSON.parse(text)]))]
        }),
      ) as Record<ComponentKind, object>,
  }
}

const unions = new Set(['anyOf', 'oneOf', 'allOf'])

/** Our own text formats are internal. */
function isInternal([keyword, value]: [string, unknown]): boolean {
  return keyword === 'format' && value === 'text'
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

import { type JsonSchema, namingOf } from '../schemas.ts'

/** The kinds of components of OpenAPI that the document uses, in its order. */
const kinds = ['schemas', 'responses', 'parameters', 'headers', 'examples'] as const
export type ComponentKind = (typeof kinds)[number]

export interface Reference {
  readonly $ref: string
}

/** What the operations of a document share, each part once and under a name. */
export interface Components {
  /** Adds a part; answers a reference to it. @throws Error if another part has the name */
  add(kind: ComponentKind, name: string, part: unknown): Reference
  /** Answers a schema with a reference in the place of each schema that has a name. */
  schema(schema: JsonSchema): JsonSchema
  /** All parts by kind, each kind in the order of the names. */
  all(): Readonly<Record<ComponentKind, object>>
}

/** Makes the components of one document, empty at first. */
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

  /** Shows the value of a keyword: schemas in it are shown, other values stay as they are. */
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

/** Whether a keyword says nothing to a client: the format of our own check of texts. */
function isInternal([keyword, value]: [string, unknown]): boolean {
  return keyword === 'format' && value === 'text'
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

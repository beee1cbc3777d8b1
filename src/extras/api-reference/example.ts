import { type ApiDocument, type Example, type MediaType, resolve, type Schema } from './document.ts'

// Stops recursive schemas.
const maxDepth = 6

/** Falls back to the schema. */
export function exampleOf(document: ApiDocument, from: Example & { schema?: Schema }): unknown {
  if (from.example !== undefined) return from.example
  for (const { value } of Object.values(from.examples ?? {})) if (value !== undefined) return value
  return from.schema ? sample(document, from.schema, 0) : ''
}

/** A single unnamed example by default. */
export function examplesOf(
  document: ApiDocument,
  media: MediaType,
): readonly { readonly name: string; readonly value: unknown }[] {
  const named = Object.entries(media.examples ?? {}).map(([name, { summary, value }]) => ({
    name: summary ?? name,
    value,
  }))
  return named.length > 0 ? named : [{ name: 'Example', value: exampleOf(document, media) }]
}

function sample(document: ApiDocument, given: Schema, depth: number): unknown {
  const schema = resolve(document, given) as Schema
  for (const value of [schema.example, schema.examples?.[0], schema.const, schema.default]) {
    if (value !== undefined) return value
  }
  if (schema.enum) return schema.enum[0]
  if (depth > maxDepth) return null
  if (schema.allOf) {
    const parts = schema.allOf.map((part) => sample(document, part, depth + 1))
    return Object.assign({}, ...parts.filter((part) => typeof part === 'object'))
  }
  const [variant] = schema.oneOf ?? schema.anyOf ?? []
  if (variant) return sample(document, variant, depth + 1)
  if (schema.properties) {
    return Object.fromEntries(
      Object.entries(schema.properties).map(([name, field]) => [
        name,
        sample(document, field, depth + 1),
      ]),
    )
  }
  return plain(document, schema, depth)
}

const byFormat: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  date: '2026-01-31',
  email: 'ann@example.org',
  uri: 'https://example.org/',
  uuid: '00000000-0000-4000-8000-000000000000',
}

function plain(document: ApiDocument, { type, format = '', items }: Schema, depth: number) {
  switch (typeof type === 'object' ? type[0] : type) {
    case 'array':
      return items ? [sample(document, items, depth + 1)] : []
    case 'integer':
    case 'number':
      return 1
    case 'boolean':
      return true
    case 'object':
      return {}
    case 'null':
      return null
    default:
      return byFormat[format] ?? 'text'
  }
}

import { type JsonSchema, namingOf } from '../schemas.ts'
import type { Components } from './components.ts'

/** The content of a body by media type: a schema and examples of it. */
export type Content = Readonly<Record<string, object>>

/**
 * Describes a body in one media type. The examples are those of the schema, unless one is given for
 * the operation.
 */
export function media(components: Components, schema: JsonSchema, given?: unknown): object {
  const examples = given === undefined ? examplesOf(schema) : [given]
  return {
    schema: components.schema(schema),
    ...(examples.length === 1 && { example: examples[0] }),
    ...(examples.length > 1 && {
      examples: Object.fromEntries(
        examples.map((value, index) => [titleOf(alternativesOf(schema)[index]), { value }]),
      ),
    }),
  }
}

/** Lists the examples of a schema: one for each of its alternatives. */
function examplesOf(schema: JsonSchema): unknown[] {
  const naming = namingOf(schema)
  if (naming) return [naming.example]
  const { examples, items, type } = schema
  if (Array.isArray(examples)) return examples.slice(0, 1)
  if (type === 'array' && typeof items === 'object') return [examplesOf(items as JsonSchema)]
  return alternativesOf(schema).flatMap(examplesOf)
}

function alternativesOf({ anyOf, oneOf }: JsonSchema): JsonSchema[] {
  return (oneOf ?? anyOf ?? []) as JsonSchema[] // JSON Schema says so
}

function titleOf(schema: JsonSchema | undefined): string {
  return (schema && namingOf(schema)?.name) ?? 'Array'
}

import { type JsonSchema, namingOf } from '../schemas.ts'
import type { Components } from './components.ts'

/** One example, or several by name. */
export interface GivenExamples {
  readonly one?: unknown
  readonly several?: Readonly<Record<string, unknown>> | undefined
}

/** Examples of the operation override the schema's. */
export function media(
  components: Components,
  schema: JsonSchema,
  { one, several }: GivenExamples = {},
): object {
  const all = several ?? (one === undefined ? byTitle(schema) : { one })
  const [first, ...others] = Object.values(all)
  return {
    schema: components.schema(schema),
    ...(others.length > 0
      ? { examples: Object.fromEntries(Object.entries(all).map(asExample)) }
      : first !== undefined && { example: first }),
  }
}

function asExample([name, value]: [string, unknown]): [string, object] {
  return [name, { value }]
}

/** Examples by the titles of alternatives. */
function byTitle(schema: JsonSchema): Record<string, unknown> {
  const alternatives = alternativesOf(schema)
  const examples = examplesOf(schema)
  return Object.fromEntries(examples.map((value, at) => [titleOf(alternatives[at]), value]))
}

/** One per alternative. */
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

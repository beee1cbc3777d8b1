import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema as a document has it
export type Schema = Record<string, any>

/** What a value has against its schema; empty: nothing. */
export type Check = (value: unknown) => string[]

const options = { strict: false, allErrors: true } as const
const bodies = withFormats(new Ajv2020(options))
/** Values of headers are texts. */
const texts = withFormats(new Ajv2020({ ...options, coerceTypes: true }))
const compiled = new Map<string, Check>()
const maxMistakes = 5

function withFormats(ajv: Ajv2020): Ajv2020 {
  addFormats.default(ajv)
  // Ours: what a database can store as text. The service refuses what is not.
  return ajv.addFormat('text', true)
}

/** Compiles a schema of a body, once for all documents that have the same. */
export function bodyCheck(schema: Schema, document: object): Check {
  return checkOf(bodies, closed(resolved(schema, document)))
}

/** Compiles the schema of a header, whose values are texts. */
export function headerCheck(schema: Schema, document: object): Check {
  return checkOf(texts, resolved(schema, document))
}

function checkOf(ajv: Ajv2020, schema: Schema): Check {
  const key = `${ajv === texts ? 'header ' : ''}${JSON.stringify(schema)}`
  const known = compiled.get(key)
  if (known) return known
  const validate = ajv.compile(schema)
  const check: Check = (value) => (validate(value) ? [] : mistakesOf(validate.errors ?? []))
  compiled.set(key, check)
  return check
}

/** Without the places in lists, so that a mistake has one text wherever it is. */
function mistakesOf(errors: readonly ErrorObject[]): string[] {
  const all = errors.map(({ instancePath, message, params }) => {
    const named = params.unevaluatedProperty ?? params.additionalProperty
    const place = instancePath.replace(/\/\d+(?=\/|$)/g, '/*')
    return `${place}: ${message}${named === undefined ? '' : ` (${named})`}`
  })
  return [...new Set(all)].slice(0, maxMistakes)
}

/** Replaces each `$ref` by what it names. */
export function resolved(schema: Schema, document: object, within: readonly string[] = []): Schema {
  const { $ref } = schema
  if (typeof $ref === 'string') {
    if (within.includes($ref)) throw new Error(`${$ref} contains itself`)
    return resolved(atPointer(document, $ref), document, [...within, $ref])
  }
  return mapSchemas(schema, (part) => resolved(part, document, within))
}

function atPointer(document: object, ref: string): Schema {
  let at: unknown = document
  for (const part of ref.slice('#/'.length).split('/')) {
    at = (at as Record<string, unknown> | undefined)?.[part]
  }
  if (!at) throw new Error(`${ref} is not in the document`)
  return at as Schema
}

/**
 * Refuses the properties that a schema does not name, unless it says what other properties are.
 * Where schemas are combined with others (`allOf`, or beside `properties`) the whole is closed, since
 * each of them knows its own properties alone.
 */
export function closed(schema: Schema, isPart = false): Schema {
  const combined = ['allOf', 'anyOf', 'oneOf'].filter((word) => word in schema)
  const isOne = combined.includes('allOf') || (combined.length > 0 && 'properties' in schema)
  const inner = mapSchemas(schema, (part, word) =>
    closed(part, combined.includes(word) && (isOne || isPart)),
  )
  const isObject = schema.type === 'object' || 'properties' in schema || isOne
  const isOpen = 'additionalProperties' in schema || 'unevaluatedProperties' in schema
  return isObject && !isOpen && !isPart ? { ...inner, unevaluatedProperties: false } : inner
}

/** Applies `change` to every schema directly within a schema. */
function mapSchemas(schema: Schema, change: (part: Schema, word: string) => Schema): Schema {
  const isSchema = (value: unknown): value is Schema =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const parts = Object.entries(schema).map(([word, value]) => {
    if (/^(allOf|anyOf|oneOf|prefixItems)$/.test(word)) {
      return [word, value.map((part: Schema) => change(part, word))]
    }
    if (/^(properties|patternProperties)$/.test(word)) {
      const named = Object.entries<Schema>(value)
      return [word, Object.fromEntries(named.map(([name, part]) => [name, change(part, word)]))]
    }
    if (/^(items|additionalProperties|not|if|then|else|propertyNames)$/.test(word)) {
      return [word, isSchema(value) ? change(value, word) : value]
    }
    return [word, value]
  })
  return Object.fromEntries(parts)
}

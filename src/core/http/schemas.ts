import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { XStatic } from 'typebox/schema'
import type { Role } from '../policy/principal.ts'

/**
 * Shapes at the edge are JSON Schemas, written out as such: Ajv validates with them, answers are
 * serialized by them, OpenAPI shows them, and their types are derived, at no cost at run time.
 */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The type of what a schema accepts. */
export type Static<Schema extends JsonSchema> = XStatic<Schema>

/** Lets Fastify derive the types of bodies and queries from their schemas. */
interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends JsonSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends JsonSchema ? Static<this['schema']> : unknown
}

/** A Fastify instance whose routes derive the types of bodies and queries from their schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>

/** How OpenAPI shows a schema: among the components, by its name, with an example of a value. */
export interface Naming {
  readonly name: string
  readonly example: unknown
}

// Beside the schemas and not in them: Ajv and the serializer compile a schema as it is written,
// without references, and a copy of a schema with other fields does not keep its name.
const namings = new WeakMap<JsonSchema, Naming>()

/** Names a schema for OpenAPI, where every use of it is a reference. Answers the schema itself. */
export function named<const Schema extends JsonSchema>(
  name: string,
  schema: Schema,
  example: unknown,
): Schema {
  namings.set(schema, { name, example })
  return schema
}

/** Answers the name and the example of a schema; undefined for one without a name. */
export function namingOf(schema: JsonSchema): Naming | undefined {
  return namings.get(schema)
}

/** An object with these properties, all of them and no others. */
export function exactly<const Properties extends Readonly<Record<string, JsonSchema>>>(
  properties: Properties,
) {
  // A list of unknown length would have the type of an object without properties.
  const required = Object.keys(properties) as unknown as readonly [keyof Properties & string]
  return { type: 'object', required, properties, additionalProperties: false } as const
}

/** A page for people. */
export const Page = { type: 'string', examples: ['<!doctype html>…'] } as const

/** The answer of an operation that has nothing to show. */
export const Message = named(
  'Message',
  {
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string', description: 'What was done, for people' } },
    additionalProperties: false,
  },
  { message: 'Done' },
)

/** The names of a list that is known when the routes are registered. */
export const nameOf = (names: readonly string[]) => {
  // Of a list whose length is not known the type would be that of no value.
  const known = names as unknown as readonly [string]
  return { type: 'string', enum: known } as const
}

/** The roles of an account or of a caller: of those that the service has. */
export const rolesOf = (roles: readonly Role[]) => {
  // Of a list whose length is not known the type would be that of no value.
  const known = roles as unknown as readonly [Role]
  return { type: 'array', items: named('Role', { type: 'string', enum: known }, 'USER') } as const
}
export const Text = { type: 'string' } as const
export const Integer = { type: 'integer' } as const
/** The id of a stored thing. */
export const Id = { type: 'integer', minimum: 1 } as const
export const Flag = { type: 'boolean' } as const
/** A duration in seconds. */
export const Seconds = { type: 'number', minimum: 0 } as const
/** A count. */
export const Count = { type: 'integer', minimum: 0 } as const
export const Time = { type: 'string', format: 'date-time' } as const
export const TextOrNull = { type: ['string', 'null'] } as const
export const TimeOrNull = { type: ['string', 'null'], format: 'date-time' } as const

/** An id in a path; the route itself reads the text, and answers 404 for one that is no id. */
export function idIn(example: number) {
  return {
    type: 'object',
    properties: {
      id: {
        type: 'integer',
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Anything but an integer from 1 is not found',
        examples: [example],
      },
    },
  } as const
}

/**
 * The page of a list, described and not validated: a query may name a parameter twice, and any
 * other value counts as absent.
 * @param maxLimit the maximum limit; 0: no maximum
 */
export function listQuery(maxLimit: number) {
  const maximum = maxLimit > 0 ? ` More than ${maxLimit} counts as ${maxLimit}.` : ''
  const counts = (value: number) => `A value that is no such integer counts as ${value}.`
  return {
    type: 'object',
    properties: {
      page: {
        type: 'integer',
        minimum: 1,
        default: 1,
        description: `${counts(1)} To read a long list from its beginning to its end, follow \`next\` of \`/api/v2/users\`, which costs the same at any depth and neither skips nor repeats an item when others come or go`,
        examples: [2],
      },
      limit: {
        type: 'integer',
        minimum: 1,
        default: 10,
        description: counts(10) + maximum,
        examples: [50],
      },
    },
  } as const
}

/** The envelope of one page of a list, with a description of `total` where there is one. Spec 2.6. */
export function pageOf<const Item extends JsonSchema>(items: Item, total?: string) {
  return {
    type: 'object',
    required: ['page', 'limit', 'total', 'data'],
    properties: {
      page: Id,
      limit: Id,
      total: total === undefined ? Count : { ...Count, description: total },
      data: { type: 'array', items },
    },
    additionalProperties: false,
  } as const
}

/** An example of a page that holds the whole list. */
export function pageExample(...data: readonly unknown[]) {
  return { page: 1, limit: 10, total: data.length, data }
}

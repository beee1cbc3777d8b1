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

/** JSON Schemas for validation (Ajv), serialization, OpenAPI and static types. */
export type JsonSchema = Readonly<Record<string, unknown>>

export type Static<Schema extends JsonSchema> = XStatic<Schema>

/** Derives types from route schemas. */
interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends JsonSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends JsonSchema ? Static<this['schema']> : unknown
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  SchemaTypes
>

/** OpenAPI component name and example. */
export interface Naming {
  readonly name: string
  readonly example: unknown
}

// Not in the schemas: Ajv and the serializer need plain schemas, and copies must not keep the name.
const namings = new WeakMap<JsonSchema, Naming>()

/** OpenAPI uses references to named schemas. Returns the same schema. */
export function named<const Schema extends JsonSchema>(
  name: string,
  schema: Schema,
  example: unknown,
): Schema {
  namings.set(schema, { name, example })
  return schema
}

export function namingOf(schema: JsonSchema): Naming | undefined {
  return namings.get(schema)
}

/** All properties required, no others allowed. */
export function exactly<const Properties extends Readonly<Record<string, JsonSchema>>>(
  properties: Properties,
) {
  // A list of unknown length would type as an object without properties.
  const required = Object.keys(properties) as unknown as readonly [keyof Properties & string]
  return { type: 'object', required, properties, additionalProperties: false } as const
}

export const Page = { type: 'string', examples: ['<!doctype html>…'] } as const

/** For operations without a result. */
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

/** Names known at registration. */
export const nameOf = (names: readonly string[]) => {
  // A list of unknown length would type as `never`.
  const known = names as unknown as readonly [string]
  return { type: 'string', enum: known } as const
}

export const rolesOf = (roles: readonly Role[]) => {
  // A list of unknown length would type as `never`.
  const known = roles as unknown as readonly [Role]
  return { type: 'array', items: named('Role', { type: 'string', enum: known }, 'USER') } as const
}
export const Text = { type: 'string' } as const
export const Integer = { type: 'integer' } as const
export const Id = { type: 'integer', minimum: 1 } as const
export const Flag = { type: 'boolean' } as const
export const Seconds = { type: 'number', minimum: 0 } as const
export const Count = { type: 'integer', minimum: 0 } as const
export const Time = { type: 'string', format: 'date-time' } as const
export const TextOrNull = { type: ['string', 'null'] } as const
export const TimeOrNull = { type: ['string', 'null'], format: 'date-time' } as const

/** The route parses the text: invalid ids are 404. */
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
 * Not validated: repeated and invalid values are allowed.
 * @param maxLimit 0: no maximum
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

/** Spec 2.6. */
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

/** A page with the whole list. */
export function pageExample(...data: readonly unknown[]) {
  return { page: 1, limit: 10, total: data.length, data }
}

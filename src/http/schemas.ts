import type { FastifyTypeProvider } from 'fastify'
import type { XStatic } from 'typebox/schema'
import type { Role } from '../kernel/principal.ts'

/**
 * Shapes at the edge are JSON Schemas, written out as such: Ajv validates with them, answers are
 * serialized by them, OpenAPI shows them, and their types are derived, at no cost at run time.
 */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The type of what a schema accepts. */
export type Static<Schema extends JsonSchema> = XStatic<Schema>

/** Lets Fastify derive the types of bodies and queries from their schemas. */
export interface SchemaTypes extends FastifyTypeProvider {
  validator: this['schema'] extends JsonSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends JsonSchema ? Static<this['schema']> : unknown
}

/** The answer of an operation that has nothing to show. */
export const Message = {
  type: 'object',
  required: ['message'],
  properties: { message: { type: 'string', description: 'What was done, for people' } },
  additionalProperties: false,
} as const

/** The roles of an account or of a caller: of those that the service has. */
export const rolesOf = (roles: readonly Role[]) =>
  // Of a list whose length is not known the type would be that of no value.
  ({ type: 'array', items: { enum: roles as unknown as readonly [Role] } }) as const
export const Text = { type: 'string' } as const
export const Integer = { type: 'integer' } as const
export const Time = { type: 'string', format: 'date-time' } as const
export const TextOrNull = { type: ['string', 'null'] } as const

/** Described, not validated: a query may name a parameter twice, and garbage counts as absent. */
export const ListQuery = {
  type: 'object',
  properties: {
    page: { type: 'string', description: 'Integer from 1; anything else counts as 1' },
    limit: { type: 'string', description: 'Integer from 1; anything else counts as 10' },
  },
} as const

/** The envelope of one page of a list. Spec 2.6. */
export function pageOf<const Item extends JsonSchema>(items: Item, total: string) {
  return {
    type: 'object',
    required: ['page', 'limit', 'total', 'data'],
    properties: {
      page: Integer,
      limit: Integer,
      total: { type: 'integer', description: total },
      data: { type: 'array', items },
    },
    additionalProperties: false,
  } as const
}

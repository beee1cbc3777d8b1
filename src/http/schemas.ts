import type { FastifyTypeProvider } from 'fastify'
import Type, { type Static, type TSchema } from 'typebox'
import { roleNames } from '../kernel/principal.ts'

/** Lets Fastify take the types of bodies and answers from their TypeBox schemas. */
export interface TypeBoxProvider extends FastifyTypeProvider {
  validator: this['schema'] extends TSchema ? Static<this['schema']> : unknown
  serializer: this['schema'] extends TSchema ? Static<this['schema']> : unknown
}

/** The answer of an operation that has nothing to show. */
export const Message = Type.Object(
  { message: Type.String() },
  { additionalProperties: false, description: 'What was done, for people' },
)

export const RoleName = Type.Enum([...roleNames])

/** An object that shows these fields and no other: nothing can leak through an answer. */
export const closed = { additionalProperties: false } as const

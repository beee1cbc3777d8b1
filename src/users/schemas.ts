import Type from 'typebox'
import { closed } from '../http/schemas.ts'

/** Spec 2.1. Lengths count code points. */
const Name = Type.String({ minLength: 1, maxLength: 100, format: 'text' })
const Email = Type.String({ maxLength: 254, format: 'email' })

export const UserBody = Type.Object(
  { id: Type.Integer(), name: Type.String(), email: Type.String() },
  closed,
)

export const UserId = Type.Object({ id: Type.String({ description: 'A positive integer' }) })

// Unknown fields are ignored and never stored.
export const CreateUser = Type.Object({ name: Name, email: Email })
export const UpdateUser = Type.Object({ name: Type.Optional(Name), email: Type.Optional(Email) })

const envelope = {
  page: Type.Integer(),
  limit: Type.Integer(),
  total: Type.Integer({ description: 'Count of all users' }),
  data: Type.Array(UserBody),
}

/** Spec 2.6. */
export const UserPage = Type.Object(envelope, closed)
export const UserList = Type.Union([Type.Array(UserBody), UserPage])
export const UserPageV2 = Type.Object(
  {
    ...envelope,
    next: Type.Union([Type.String(), Type.Null()], { description: 'The `cursor` of what follows' }),
  },
  closed,
)

const pageParameters = {
  page: Type.Optional(Type.String({ description: 'Integer from 1; anything else counts as 1' })),
  limit: Type.Optional(Type.String({ description: 'Integer from 1; anything else counts as 10' })),
}

export const ListQuery = Type.Object(pageParameters)
export const ListQueryV2 = Type.Object({
  ...pageParameters,
  q: Type.Optional(Type.String({ description: 'Part of name or e-mail, in any case' })),
  sort: Type.Optional(
    Type.String({ description: '`id`, `name` or `email`; a minus before it for descending order' }),
  ),
  cursor: Type.Optional(Type.String({ description: '`next` of the page before' })),
})

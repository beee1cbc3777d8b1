import { Integer, ListQuery, pageOf, Text, TextOrNull } from '../http/schemas.ts'

// Lengths count code points. Spec 2.1.
const Name = { type: 'string', minLength: 1, maxLength: 100, format: 'text' } as const
const Email = { type: 'string', maxLength: 254, format: 'email' } as const

export const UserBody = {
  type: 'object',
  required: ['id', 'name', 'email'],
  properties: { id: Integer, name: Text, email: Text },
  additionalProperties: false, // an answer shows these fields and no other
} as const

export const UserId = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', description: 'A positive integer' } },
} as const

// Unknown fields are ignored and never stored.
export const CreateUser = {
  type: 'object',
  required: ['name', 'email'],
  properties: { name: Name, email: Email },
} as const

export const UpdateUser = { type: 'object', properties: { name: Name, email: Email } } as const

/** A page of users. Spec 2.6. */
const UserPage = pageOf(UserBody, 'Count of all users')

export const UserList = { anyOf: [{ type: 'array', items: UserBody }, UserPage] } as const

export const UserPageV2 = {
  ...UserPage,
  required: [...UserPage.required, 'next'],
  properties: {
    ...pageOf(
      UserBody,
      'Count of all users; of those that `q` finds the exact count up to 1,000, and 1,001 where there are more',
    ).properties,
    next: { ...TextOrNull, description: 'The `cursor` of what follows' },
  },
} as const

export const ListQueryV2 = {
  type: 'object',
  properties: {
    ...ListQuery.properties,
    q: {
      type: 'string',
      description:
        'Part of name or e-mail, in any case; one or two characters: their beginning. At most 200 characters',
    },
    sort: {
      type: 'string',
      description: '`id`, `name` or `email`; a minus before it for descending order',
    },
    cursor: { type: 'string', description: '`next` of the page before' },
  },
} as const

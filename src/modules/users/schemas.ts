import {
  exactly,
  Id,
  idIn,
  listQuery,
  named,
  pageExample,
  pageOf,
  Text,
  TextOrNull,
} from '../../core/http/schemas.ts'

// Lengths in code points. Spec 2.1.
const Name = { type: 'string', minLength: 1, maxLength: 100, format: 'text' } as const
const Email = { type: 'string', maxLength: 254, format: 'email' } as const

export const ann = { id: 7, name: 'Ann Example', email: 'ann@example.org' } as const

export const UserBody = named('User', exactly({ id: Id, name: Text, email: Text }), ann)

export const UserId = idIn(ann.id)

export const CreateUser = named(
  'NewUser',
  {
    type: 'object',
    required: ['name', 'email'],
    properties: { name: Name, email: Email },
  },
  { name: ann.name, email: ann.email },
)

export const UpdateUser = named(
  'UserChanges',
  { type: 'object', properties: { name: Name, email: Email } },
  { email: ann.email },
)

/** Spec 2.6. */
const UserPage = named('UserPage', pageOf(UserBody, 'Count of all users'), pageExample(ann))

export const UserList = { oneOf: [{ type: 'array', items: UserBody }, UserPage] } as const

export const UserPageV2 = named(
  'UserPageV2',
  {
    ...UserPage,
    required: [...UserPage.required, 'next'],
    properties: {
      ...pageOf(
        UserBody,
        'Count of all users; of those that `q` finds the exact count up to 1,000, and 1,001 where there are more',
      ).properties,
      next: { ...TextOrNull, description: 'The `cursor` of what follows; null at the end' },
    },
  },
  { ...pageExample(ann), next: null },
)

export const ListQueryV2 = {
  type: 'object',
  properties: {
    ...listQuery(1000).properties,
    q: {
      type: 'string',
      description:
        'Part of name or e-mail, in any case; one or two characters: their beginning. At most 200 characters',
      maxLength: 200,
      examples: ['example.org'],
    },
    sort: {
      type: 'string',
      enum: ['id', 'name', 'email', '-id', '-name', '-email'],
      default: 'id',
      description: 'A minus stands for descending order',
      examples: ['-name'],
    },
    cursor: { type: 'string', description: 'The `next` of the page before, with the same `sort`' },
  },
} as const

import { Integer, Text, TextOrNull } from '../http/schemas.ts'

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

const envelope = {
  page: Integer,
  limit: Integer,
  total: { type: 'integer', description: 'Count of all users' },
  data: { type: 'array', items: UserBody },
} as const

/** Spec 2.6. */
export const UserPage = {
  type: 'object',
  required: ['page', 'limit', 'total', 'data'],
  properties: envelope,
  additionalProperties: false,
} as const

export const UserList = { anyOf: [{ type: 'array', items: UserBody }, UserPage] } as const

export const UserPageV2 = {
  type: 'object',
  required: ['page', 'limit', 'total', 'data', 'next'],
  properties: {
    ...envelope,
    total: { type: 'integer', description: 'Count of all users, or of those that `q` finds' },
    next: { ...TextOrNull, description: 'The `cursor` of what follows' },
  },
  additionalProperties: false,
} as const

const pageParameters = {
  page: { type: 'string', description: 'Integer from 1; anything else counts as 1' },
  limit: { type: 'string', description: 'Integer from 1; anything else counts as 10' },
} as const

// Described, not validated: a query may name a parameter twice, and garbage counts as absent.
export const ListQuery = { type: 'object', properties: pageParameters } as const

export const ListQueryV2 = {
  type: 'object',
  properties: {
    ...pageParameters,
    q: { type: 'string', description: 'Part of name or e-mail, in any case' },
    sort: {
      type: 'string',
      description: '`id`, `name` or `email`; a minus before it for descending order',
    },
    cursor: { type: 'string', description: '`next` of the page before' },
  },
} as const

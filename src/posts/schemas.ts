import { Integer, pageOf, Text, TextOrNull, Time } from '../http/schemas.ts'

// Lengths count code points.
const Title = { type: 'string', minLength: 1, maxLength: 200, format: 'text' } as const
const Body = { type: 'string', maxLength: 20_000, format: 'text' } as const

export const PostBody = {
  type: 'object',
  required: ['id', 'title', 'body', 'author_id', 'author', 'locked', 'created_at', 'updated_at'],
  properties: {
    id: Integer,
    title: Text,
    body: Text,
    author_id: { type: ['integer', 'null'], description: 'Null once the user is gone' },
    author: { ...TextOrNull, description: 'Username; null where there is no account' },
    locked: { type: 'boolean', description: 'Only the author can change a locked post' },
    created_at: Time,
    updated_at: { ...Time, description: 'Of the last change of title or body' },
  },
  additionalProperties: false,
} as const

export const PostId = {
  type: 'object',
  required: ['id'],
  properties: { id: { type: 'string', description: 'A positive integer' } },
} as const

// Unknown fields are ignored and never stored: author_id and locked among them.
export const CreatePost = {
  type: 'object',
  required: ['title'],
  properties: { title: Title, body: Body },
} as const

export const UpdatePost = { type: 'object', properties: { title: Title, body: Body } } as const

export const PostList = {
  anyOf: [{ type: 'array', items: PostBody }, pageOf(PostBody, 'Count of all posts')],
} as const

import {
  exactly,
  Id,
  idIn,
  named,
  pageExample,
  pageOf,
  Text,
  TextOrNull,
  Time,
} from '../../core/http/schemas.ts'
import { ann } from '../users/schemas.ts'

// Code points.
const Title = { type: 'string', minLength: 1, maxLength: 200, format: 'text' } as const
const Body = { type: 'string', maxLength: 20_000, format: 'text' } as const

const hello = {
  id: 12,
  title: 'Hello',
  body: 'The first post.',
  author_id: ann.id,
  author: 'ann',
  locked: false,
  created_at: '2026-03-02T09:30:00.000Z',
  updated_at: '2026-03-02T09:30:00.000Z',
}

export const PostBody = named(
  'Post',
  exactly({
    id: Id,
    title: Text,
    body: Text,
    author_id: {
      type: ['integer', 'null'],
      minimum: 1,
      description: 'Null once the user is gone',
    },
    author: { ...TextOrNull, description: 'Username; null where there is no account' },
    locked: { type: 'boolean', description: 'Only the author can change a locked post' },
    created_at: Time,
    updated_at: { ...Time, description: 'Of the last change of title or body' },
  }),
  hello,
)

export const PostId = idIn(hello.id)

// Unknown fields, such as author_id and locked, are ignored.
export const CreatePost = named(
  'NewPost',
  {
    type: 'object',
    required: ['title'],
    properties: { title: Title, body: Body },
  },
  { title: hello.title, body: hello.body },
)

export const UpdatePost = named(
  'PostChanges',
  { type: 'object', properties: { title: Title, body: Body } },
  { title: hello.title },
)

const PostPage = named('PostPage', pageOf(PostBody, 'Count of all posts'), pageExample(hello))

export const PostList = { oneOf: [{ type: 'array', items: PostBody }, PostPage] } as const

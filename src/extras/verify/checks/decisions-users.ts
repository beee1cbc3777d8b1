import { including, integer, listOf, matching, text } from '../shapes.ts'
import {
  type Checks,
  denied,
  lockPost,
  makePost,
  makeUser,
  refusal,
  user,
  userNotFound,
} from './steps.ts'

const violation = (...path: readonly string[]) => ({
  status: 400,
  body: { error: 'Validation failed', details: [{ path, message: text }] },
})
const create = (json: unknown, path = '/users') =>
  ({ method: 'POST', path, by: 'basic admin', json }) as const
const email = 'made@example.invalid'

/** Users and posts beside the contract. */
export const decisionsUsersChecks: Checks = [
  {
    id: 'd-users-total-count',
    rows: 'decisions users',
    request: { method: 'GET', path: '/users', by: 'basic admin' },
    expect: { status: 200, headers: { 'x-total-count': matching(/^\d+$/) }, body: listOf(user, 1) },
    isHeavy: true,
  },
  {
    id: 'd-users-prefix-page',
    rows: 'decisions users',
    request: { method: 'GET', path: '/api/v1/users?page=1&limit=1', by: 'basic operator' },
    expect: { status: 200, body: { page: 1, limit: 1, total: integer, data: [user] } },
  },
  {
    id: 'd-users-large-limit',
    rows: 'decisions users',
    request: {
      method: 'GET',
      path: '/users?page=9007199254740991&limit=5000',
      by: 'basic operator',
    },
    expect: { status: 200, body: including({ limit: 5000, data: [] }) },
  },
  {
    id: 'd-users-v2-envelope',
    rows: 'decisions users',
    request: { method: 'GET', path: '/api/v2/users?limit=1', by: 'basic operator' },
    expect: { status: 200, body: including({ page: 1, limit: 1, total: integer, data: [user] }) },
  },
  {
    id: 'd-users-v2-missing',
    rows: 'decisions users',
    request: create({ email }, '/api/v2/users'),
    expect: violation('name'),
  },
  {
    id: 'd-users-not-an-object',
    rows: 'decisions users',
    request: create([]),
    expect: violation(),
  },
  {
    id: 'd-users-no-coercion',
    rows: 'decisions users',
    request: create({ name: 7, email }),
    expect: violation('name'),
  },
  {
    id: 'd-users-unknown-field',
    rows: 'decisions users',
    request: create({ name: 'New {mark}', email, roles: ['ADMIN'], id: 1 }),
    expect: { status: 201, body: { id: integer, name: 'New {mark}', email } },
  },
  {
    id: 'd-users-id-not-numeric',
    rows: 'decisions users',
    request: { method: 'GET', path: '/users/abc', by: 'basic operator' },
    expect: userNotFound,
  },
  {
    id: 'd-users-401-before-404',
    rows: 'decisions users',
    request: { method: 'GET', path: '/users/abc' },
    expect: refusal(401, 'Authentication required'),
  },
  {
    id: 'd-users-403-before-404',
    rows: 'decisions users',
    request: { method: 'DELETE', path: '/users/9007199254740991', by: 'basic user' },
    expect: denied,
  },
  {
    id: 'd-users-admin-row',
    rows: 'decisions users',
    request: { method: 'DELETE', path: '/users/{admin.id}', by: 'basic editor' },
    expect: denied,
  },
  {
    id: 'd-users-entity-tag',
    rows: 'decisions users',
    before: [makeUser],
    request: {
      method: 'PUT',
      path: '/users/{made.id}',
      by: 'basic admin',
      json: { name: 'Changed' },
      headers: { 'if-match': '"other"' },
    },
    expect: refusal(412, 'Precondition failed'),
  },
  {
    id: 'd-posts-default-body',
    rows: 'decisions posts',
    request: { method: 'POST', path: '/api/posts', by: 'basic editor', json: { title: 'Post' } },
    expect: { status: 201, body: including({ title: 'Post', body: '', locked: false }) },
  },
  {
    id: 'd-posts-title-missing',
    rows: 'decisions posts',
    request: { method: 'POST', path: '/api/posts', by: 'basic editor', json: { body: 'Text' } },
    expect: violation('title'),
  },
  {
    id: 'd-posts-404',
    rows: 'decisions posts',
    request: { method: 'GET', path: '/api/posts/9007199254740991', by: 'basic operator' },
    expect: refusal(404, 'Post not found'),
  },
  {
    id: 'd-posts-item',
    rows: 'decisions posts',
    before: [makePost('editor')],
    request: { method: 'GET', path: '/api/posts/{post.id}', by: 'basic user' },
    expect: { status: 200, body: '{post}' },
  },
  {
    id: 'd-posts-unlock',
    rows: 'decisions posts',
    before: [makePost('editor'), lockPost],
    request: { method: 'DELETE', path: '/api/admin/posts/{post.id}/lock', by: 'basic admin' },
    expect: { status: 200, body: including({ id: '{post.id}', locked: false }) },
  },
]

import { boolean, both, having, including, integer, listOf, text } from '../shapes.ts'
import {
  authenticationRequired,
  type Checks,
  denied,
  lockPost,
  makePost,
  routeNotFound,
} from './steps.ts'

const post = {
  id: integer,
  title: text,
  body: 'Text',
  author_id: '{editor.id}',
  author: '{editor.username}',
  locked: false,
  created_at: text,
  updated_at: text,
}
const change = {
  method: 'PUT',
  path: '/api/posts/{post.id}',
  json: { title: 'Changed {mark}' },
} as const
const changed = { status: 200, body: { ...post, title: 'Changed {mark}' } }
const remove = { method: 'DELETE', path: '/api/posts/{post.id}' } as const

export const groupsChecks: Checks = [
  {
    id: '4.3-public',
    rows: '4.3 public',
    request: { method: 'GET', path: '/api/public/status' },
    expect: { status: 200 },
  },
  {
    id: '4.3-admin-anonymous',
    rows: ['4.3 admin', '7 authentication'],
    request: { method: 'GET', path: '/api/admin/accounts' },
    expect: authenticationRequired,
  },
  {
    id: '4.3-admin-by-editor',
    rows: ['4.3 admin', '4.3 denied', '7 denied'],
    request: { method: 'GET', path: '/api/admin/accounts', by: 'basic editor' },
    expect: denied,
  },
  {
    id: '4.3-admin-by-user',
    rows: ['4.3 admin', '1 authorizes'],
    request: { method: 'GET', path: '/api/admin/accounts', by: 'basic user' },
    expect: denied,
  },
  {
    id: '4.3-admin-by-admin',
    rows: ['4.3 admin', '2.2 roles'],
    request: { method: 'GET', path: '/api/admin/accounts', by: 'basic admin' },
    expect: { status: 200 },
  },
  {
    id: '4.3-editor-anonymous',
    rows: '4.3 editor',
    request: { method: 'GET', path: '/api/editor/posts' },
    expect: authenticationRequired,
  },
  {
    id: '4.3-editor-by-user',
    rows: '4.3 editor',
    request: { method: 'GET', path: '/api/editor/posts', by: 'basic user' },
    expect: denied,
  },
  {
    id: '4.3-editor-by-editor',
    rows: ['4.3 editor', '2.2 roles'],
    request: { method: 'GET', path: '/api/editor/posts', by: 'basic editor' },
    expect: { status: 200 },
  },
  {
    id: '4.3-editor-by-admin',
    rows: '4.3 editor',
    request: { method: 'GET', path: '/api/editor/posts', by: 'basic admin' },
    expect: { status: 200 },
  },
  {
    id: '4.3-user-group-anonymous',
    rows: '4.3 user',
    request: { method: 'GET', path: '/api/user/account' },
    expect: authenticationRequired,
  },
  {
    id: '4.3-user-group-by-user',
    rows: '4.3 user',
    request: { method: 'GET', path: '/api/user/account', by: 'basic user' },
    expect: { status: 200 },
  },
  {
    id: '4.3-user-group-by-admin',
    rows: '4.3 user',
    request: { method: 'GET', path: '/api/user/account', by: 'basic admin' },
    expect: denied,
  },
  {
    id: '4.3-posts-anonymous',
    rows: ['4.3 posts_read', '4.3 other'],
    request: { method: 'GET', path: '/api/posts' },
    expect: authenticationRequired,
  },
  {
    id: '4.3-posts-without-role',
    rows: '4.3 posts_read',
    request: { method: 'GET', path: '/api/posts', by: 'basic plain' },
    expect: denied,
  },
  {
    id: '4.3-posts-by-user',
    rows: ['4.3 posts_read', '2.7 post'],
    before: [makePost('editor')],
    request: { method: 'GET', path: '/api/posts', by: 'basic user' },
    expect: {
      status: 200,
      body: both(listOf(including({ id: integer, locked: boolean }), 1), having('{post}')),
    },
    isHeavy: true,
  },
  {
    id: '4.3-posts-create-by-user',
    rows: ['4.3 posts_create', '4.3 denied'],
    request: { method: 'POST', path: '/api/posts', by: 'basic user', json: { title: 'Post' } },
    expect: denied,
  },
  {
    id: '4.3-posts-create-by-editor',
    rows: ['4.3 posts_create', '2.7 post'],
    request: {
      method: 'POST',
      path: '/api/posts',
      by: 'basic editor',
      json: { title: 'Post {mark}', body: 'Text' },
    },
    expect: { status: 201, body: { ...post, title: 'Post {mark}' } },
  },
  {
    id: '4.3-posts-create-by-admin',
    rows: '4.3 posts_create',
    request: {
      method: 'POST',
      path: '/api/posts',
      by: 'basic admin',
      json: { title: 'Post {mark}', body: 'Text' },
    },
    expect: {
      status: 201,
      body: {
        ...post,
        title: 'Post {mark}',
        author_id: '{admin.id}',
        author: '{admin.username}',
      },
    },
  },
  {
    id: '4.3-posts-update-author',
    rows: '4.3 posts_update',
    before: [makePost('editor')],
    request: { ...change, by: 'basic editor' },
    expect: changed,
  },
  {
    id: '4.3-posts-update-author-locked',
    rows: ['4.3 posts_update', '3.4 states'],
    before: [makePost('editor'), lockPost],
    request: { ...change, by: 'basic editor' },
    expect: { status: 200, body: { ...changed.body, locked: true } },
  },
  {
    id: '4.3-posts-update-admin',
    rows: '4.3 posts_update',
    before: [makePost('editor')],
    request: { ...change, by: 'basic admin' },
    expect: changed,
  },
  {
    id: '4.3-posts-update-admin-locked',
    rows: ['4.3 posts_update', '3.4 states', '7 denied'],
    before: [makePost('editor'), lockPost],
    request: { ...change, by: 'basic admin' },
    expect: denied,
  },
  {
    id: '4.3-posts-update-stranger',
    rows: ['4.3 posts_update', '1 authorizes'],
    before: [makePost('editor')],
    request: { ...change, by: 'basic user' },
    expect: denied,
  },
  {
    id: '4.3-posts-delete-author',
    rows: '4.3 posts_delete',
    before: [makePost('editor')],
    request: { ...remove, by: 'basic editor' },
    expect: denied,
    when: { POSTS_DELETE_POLICY: 'admin' },
  },
  {
    id: '4.3-posts-delete-owner',
    rows: '4.3 posts_delete',
    before: [makePost('editor')],
    request: { ...remove, by: 'basic editor' },
    expect: { status: 200, body: '{post}' },
    when: { POSTS_DELETE_POLICY: 'owner' },
  },
  {
    id: '4.3-posts-delete-admin',
    rows: '4.3 posts_delete',
    before: [makePost('editor')],
    request: { ...remove, by: 'basic admin' },
    expect: { status: 200, body: '{post}' },
  },
  {
    id: '4.3-other-with-session',
    rows: ['4.3 other', '1 authenticates'],
    request: { method: 'GET', path: '/users/{user.id}', by: 'session user' },
    expect: { status: 200 },
  },
  {
    id: '4.3-other-with-bearer',
    rows: ['4.3 other', '1 authenticates'],
    request: { method: 'GET', path: '/users/{user.id}', by: 'bearer user' },
    expect: { status: 200 },
  },
  {
    id: '4.3-unknown-route-anonymous',
    rows: '4.2 routes',
    request: { method: 'POST', path: '/no-such-route' },
    expect: routeNotFound,
  },
]

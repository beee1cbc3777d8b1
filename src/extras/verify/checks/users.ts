import { both, having, integer, listOf, matching } from '../shapes.ts'
import { type Checks, makeUser, routeNotFound, user, userNotFound } from './steps.ts'

const email = 'made@example.invalid'
const envelope = (page: unknown, limit: unknown, data: unknown) => ({
  status: 200,
  body: { page, limit, total: integer, data },
})

/** Reading, listing and removing users, at each prefix. */
export const usersChecks: Checks = [
  {
    id: '4.2-list-200',
    rows: ['4.2 list', '1 users', '2.1 id'],
    before: [makeUser],
    request: { method: 'GET', path: '/users', by: 'basic user' },
    expect: { status: 200, body: both(listOf(user, 2), having('{made}')) },
    isHeavy: true,
  },
  {
    id: '4.2-page-default',
    rows: ['4.2 page', '2.6 page', '2.6 limit', '2.6 total', '2.6 data', '8 pages'],
    request: { method: 'GET', path: '/users?page=1', by: 'basic operator' },
    expect: envelope(1, 10, listOf(user, 1)),
  },
  {
    id: '4.2-limit-only',
    rows: ['4.2 page', '8 pages'],
    request: { method: 'GET', path: '/users?limit=1', by: 'basic operator' },
    expect: envelope(1, 1, [user]),
  },
  {
    id: '4.2-page-slice',
    rows: '4.2 page',
    before: [
      makeUser,
      {
        method: 'GET',
        path: '/users?page=1&limit=2',
        by: 'basic admin',
        keep: { second: 'data.1' },
      },
    ],
    request: { method: 'GET', path: '/users?page=2&limit=1', by: 'basic admin' },
    expect: envelope(2, 1, ['{second}']),
  },
  {
    id: '4.2-page-past-end',
    rows: '4.2 page',
    request: { method: 'GET', path: '/users?page=9007199254740991&limit=1', by: 'basic operator' },
    expect: envelope(9007199254740991, 1, []),
  },
  {
    id: '4.2-page-not-numeric',
    rows: '4.2 defaults',
    request: { method: 'GET', path: '/users?page=abc&limit=1x', by: 'basic operator' },
    expect: envelope(1, 10, listOf(user, 1)),
  },
  {
    id: '4.2-page-zero',
    rows: '4.2 defaults',
    request: { method: 'GET', path: '/users?page=0&limit=0', by: 'basic operator' },
    expect: envelope(1, 10, listOf(user, 1)),
  },
  {
    id: '4.2-get-200',
    rows: ['4.2 get', '2.1 id'],
    before: [makeUser],
    request: { method: 'GET', path: '/users/{made.id}', by: 'basic user' },
    expect: { status: 200, body: { id: '{made.id}', name: 'Made {mark}', email } },
  },
  {
    id: '4.2-get-404',
    rows: ['4.2 get', '7 user'],
    request: { method: 'GET', path: '/users/9007199254740991', by: 'basic operator' },
    expect: userNotFound,
  },
  {
    id: '4.2-delete-200',
    rows: '4.2 delete',
    before: [makeUser],
    request: { method: 'DELETE', path: '/users/{made.id}', by: 'basic admin' },
    expect: { status: 200, body: { id: '{made.id}', name: 'Made {mark}', email } },
  },
  {
    id: '4.2-delete-is-gone',
    rows: '4.2 delete',
    before: [makeUser, { method: 'DELETE', path: '/users/{made.id}', by: 'basic admin' }],
    request: { method: 'GET', path: '/users/{made.id}', by: 'basic admin' },
    expect: userNotFound,
  },
  {
    id: '4.2-delete-404',
    rows: ['4.2 delete', '7 user'],
    request: { method: 'DELETE', path: '/users/9007199254740991', by: 'basic admin' },
    expect: userNotFound,
  },
  {
    id: '4.2-unknown-route',
    rows: ['4.2 routes', '7 route', '7 shape'],
    request: { method: 'GET', path: '/no-such-route' },
    expect: {
      ...routeNotFound,
      headers: { 'content-type': matching(/^application\/json/) },
    },
  },
  {
    id: '4.2-v1',
    rows: '9 versions',
    before: [makeUser],
    request: { method: 'GET', path: '/api/v1/users/{made.id}', by: 'basic user' },
    expect: { status: 200, body: '{made}' },
  },
  {
    id: '4.2-v2',
    rows: '9 versions',
    before: [makeUser],
    request: { method: 'GET', path: '/api/v2/users/{made.id}', by: 'basic user' },
    expect: { status: 200, body: '{made}' },
  },
]

import type { Order } from '../../src/modules/users/lists.ts'
import { writeUserCursor } from '../../src/modules/users/v2.ts'
import type { Sent } from '../../test/faults/http.ts'
import { password } from './seed.ts'
import type { Side } from './side.ts'

/** A kind of request whose cost must not grow with the tables. */
export interface Subject {
  readonly what: string
  ask(side: Side, index: number): Asked
  /** Whether the cost grows necessarily: the figure is printed without a goal. */
  readonly mayGrow?: boolean
  /** The goal of the ratio between many and few users, if it is not the common one. */
  readonly maxRatio?: number
  readonly samples?: number
}

export interface Asked extends Sent {
  readonly method?: string
  readonly path: string
  /** The expected status; 200 if absent. */
  readonly status?: number
}

const pageSize = 10

export const subjects: readonly Subject[] = [
  read('users v1, page 1, with total', () => `/users?page=1&limit=${pageSize}`),
  read('users v1, page 100', () => `/users?page=100&limit=${pageSize}`),
  deep('users v1, page at 90 %', ({ seeded }) => pageAt('/users', seeded.users)),
  read('users v2, page 1', () => `/api/v2/users?limit=${pageSize}`),
  read('users v2, cursor behind 90 %, by id', ({ seeded }) =>
    behind('id', { value: '', id: seeded.users * 0.9 }),
  ),
  read('users v2, cursor behind 90 %, by name', () => behind('name', { value: 'user 9', id: 1 })),
  searching('users v2, q= that one matches', 'q=user777%40'),
  searching('users v2, q= that one matches, -id', 'q=user777%40&sort=-id'),
  searching('users v2, q= that all match', 'q=example'),
  searching('users v2, q= that all match, -id', 'q=example&sort=-id'),
  searching('users v2, q= that none matches', 'q=nobody'),
  searching('users v2, q= of two characters', 'q=us'),
  growing('users v2, q= that one matches, by name', () => '/api/v2/users?q=user777%40&sort=name'),
  growing('users v2, q= that all match, by name', () => '/api/v2/users?q=example&sort=name'),
  read('user by id', (side, index) => `/users/${someUser(side, index)}`),
  read('accounts, page 1, with total', () => `/api/admin/accounts?page=1&limit=${pageSize}`),
  read('account by name', (side, index) => `/api/admin/accounts/user${someUser(side, index)}`),
  read('GET /api/me, bearer', () => '/api/me'),
  {
    what: 'GET /api/session, session',
    ask: ({ seeded: { cookies } }, index) => ({
      path: '/api/session',
      headers: { cookie: `JSESSIONID=${cookies[index % cookies.length]}` },
    }),
  },
  {
    what: 'login, token mode',
    samples: 60,
    ask: (side, index) => ({
      method: 'POST',
      path: '/login',
      json: { username: `user${someUser(side, index)}`, password, mode: 'token' },
    }),
  },
  write('create user', (_, index) => ({
    method: 'POST',
    path: '/users',
    status: 201,
    json: { name: `New ${index}`, email: `new${index}@example.org` },
  })),
  write('change user', (side, index) => ({
    method: 'PUT',
    path: `/users/${someUser(side, index)}`,
    json: { name: `Changed ${index}` },
  })),
  write('delete user', ({ made }) => ({ method: 'DELETE', path: `/users/${made.pop()}` })),
  read('posts, page 1, with total', () => `/api/posts?page=1&limit=${pageSize}`),
  read('posts, page 100', () => `/api/posts?page=100&limit=${pageSize}`),
  deep('posts, page at 90 %', ({ seeded }) => pageAt('/api/posts', seeded.posts)),
  growing('GET /api/admin/statistics', () => '/api/admin/statistics'),
  read('GET /api/admin/throttle', () => '/api/admin/throttle'),
]

function read(what: string, path: (side: Side, index: number) => string): Subject {
  return write(what, (side, index) => ({ path: path(side, index) }))
}

function growing(what: string, path: (side: Side) => string): Subject {
  return { ...read(what, path), mayGrow: true, samples: 15 }
}

/** Pages far behind, by number. */
function deep(what: string, path: (side: Side) => string): Subject {
  return { ...read(what, path), maxRatio: 30, samples: 60 }
}

/** Pages sorted by id: the total and the page are read from the index. */
function searching(what: string, query: string): Subject {
  return { ...read(what, () => `/api/v2/users?${query}`), maxRatio: 5 }
}

function write(what: string, ask: Subject['ask']): Subject {
  return {
    what,
    ask: (side, index) => ({ ...ask(side, index), headers: side.service.bearer }),
  }
}

/** A position in the table that differs for each request. */
export function someUser({ seeded }: Side, index: number): number {
  return 2 + ((index * 7919 + 13) % seeded.users)
}

function pageAt(path: string, total: number): string {
  return `${path}?limit=${pageSize}&page=${Math.floor((total * 0.9) / pageSize)}`
}

function behind(key: Order['key'], after: { value: string; id: number }): string {
  const order = { key, descending: false }
  return `/api/v2/users?sort=${key}&limit=${pageSize}&cursor=${writeUserCursor({ page: 2, after }, order)}`
}

import type { Check, Expected, Person, Step } from '../check.ts'
import { integer, matching, text } from '../shapes.ts'

/** Steps and expectations that several checks have. */

export const user = { id: integer, name: text, email: text }

export function refusal(status: number, error: string): Expected {
  return { status, body: { error } }
}

export const challenged: Expected = {
  status: 401,
  headers: { 'www-authenticate': matching(/^Basic realm="API"/) },
  body: { error: 'Authentication required' },
}

export const authenticationRequired = refusal(401, 'Authentication required')
export const denied = refusal(403, 'Access denied')
export const userNotFound = refusal(404, 'User not found')
export const routeNotFound = refusal(404, 'Route not found')
export const invalidCredentials = refusal(401, 'Invalid credentials')
export const badToken = refusal(401, 'Invalid or expired token')

/** A user without an account. */
export const makeUser: Step = {
  method: 'POST',
  path: '/users',
  by: 'basic admin',
  json: { name: 'Made {mark}', email: 'made@example.invalid' },
  keep: { made: 'body', 'made.id': 'id' },
}

export function makePost(by: Person): Step {
  return {
    method: 'POST',
    path: '/api/posts',
    by: `basic ${by}`,
    json: { title: 'Post {mark}', body: 'Text' },
    keep: { post: 'body', 'post.id': 'id' },
  }
}

export const lockPost: Step = {
  method: 'PUT',
  path: '/api/admin/posts/{post.id}/lock',
  by: 'basic admin',
}

export function credentials(person: Person) {
  return { username: `{${person}.username}`, password: `{${person}.password}` }
}

/** Keeps `sid` and `csrf`. */
export function logIn(person: Person): Step {
  return {
    method: 'POST',
    path: '/login',
    form: { ...credentials(person), mode: 'session' },
    keep: { sid: 'cookie {SESSION_COOKIE_NAME}', csrf: 'csrf_token' },
  }
}

/** The session of `logIn`. */
export const cookie = { cookie: '{SESSION_COOKIE_NAME}={sid}' }

/** Keeps `token`. */
export function takeToken(person: Person): Step {
  return {
    method: 'POST',
    path: '/login',
    json: { ...credentials(person), mode: 'token' },
    keep: { token: 'token' },
  }
}

export const tokenHeader = { authorization: 'Bearer {token}' }

/** Keeps `access` and `refresh`. */
export function takePair(person: Person): Step {
  return {
    method: 'POST',
    path: '/login',
    json: { ...credentials(person), mode: 'pair' },
    keep: { access: 'access_token', refresh: 'refresh_token' },
  }
}

export function wrongLogin(person: Person): Step {
  const { username } = credentials(person)
  return { method: 'POST', path: '/login', json: { username, password: 'not the password' } }
}

/** Ends the counts of this run, so that the next check begins without one. */
export const clearAddress: Step = {
  method: 'DELETE',
  path: '/api/admin/throttle/addresses/{address}',
  by: 'bearer admin',
}

export function times<T>(count: number, item: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => item(index + 1))
}

export type Checks = readonly Check[]

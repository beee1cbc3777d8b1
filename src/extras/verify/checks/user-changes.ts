import { containing, including, integer, text } from '../shapes.ts'
import {
  authenticationRequired,
  type Checks,
  denied,
  makeUser,
  refusal,
  userNotFound,
} from './steps.ts'

const invalidBody = refusal(400, 'Invalid request body')
const required = { status: 400, body: including({ error: 'Name and email required' }) }
const email = 'made@example.invalid'
const violation = (path: string) => ({
  status: 400,
  body: { error: 'Validation failed', details: [{ path: [path], message: text }] },
})
const create = (json: unknown) => ({
  method: 'POST',
  path: '/users',
  by: 'basic admin' as const,
  json,
})
const update = (json: unknown) => ({
  method: 'PUT',
  path: '/users/{made.id}',
  by: 'basic admin' as const,
  json,
})

/** Creating and changing users, and who may do it. */
export const userChangesChecks: Checks = [
  {
    id: '4.2-create-201',
    rows: ['4.2 create', '2.1 id', '2.1 name', '2.1 email'],
    request: create({ name: 'New {mark}', email }),
    expect: { status: 201, body: { id: integer, name: 'New {mark}', email } },
  },
  {
    id: '4.2-create-longest-name',
    rows: ['2.1 name', '8 name'],
    request: create({ name: '{repeat n 100}', email }),
    expect: { status: 201, body: { id: integer, name: '{repeat n 100}', email } },
  },
  {
    id: '4.2-create-name-missing',
    rows: ['4.2 missing', '4.2 create', '7 required', '2.1 name'],
    request: create({ email }),
    expect: required,
  },
  {
    id: '4.2-create-email-missing',
    rows: ['4.2 missing', '7 required', '2.1 email'],
    request: create({ name: 'New {mark}' }),
    expect: required,
  },
  {
    id: '4.2-create-name-empty',
    rows: ['2.1 name', '7 validation', '4.2 missing'],
    request: create({ name: '', email }),
    expect: violation('name'),
  },
  {
    id: '4.2-create-name-too-long',
    rows: ['2.1 name', '8 name', '7 validation'],
    request: create({ name: '{repeat n 101}', email }),
    expect: violation('name'),
  },
  {
    id: '4.2-create-email-invalid',
    rows: ['2.1 email', '7 validation'],
    request: create({ name: 'New {mark}', email: 'no address' }),
    expect: violation('email'),
  },
  {
    id: '4.2-create-not-json',
    rows: ['4.2 json', '7 json'],
    request: { method: 'POST', path: '/users', by: 'basic admin', text: '{"name":' },
    expect: invalidBody,
  },
  {
    id: '4.2-update-name',
    rows: '4.2 update',
    before: [makeUser],
    request: update({ name: 'Changed {mark}' }),
    expect: { status: 200, body: { id: '{made.id}', name: 'Changed {mark}', email } },
  },
  {
    id: '4.2-update-email',
    rows: '4.2 update',
    before: [makeUser],
    request: update({ email: 'changed@example.invalid' }),
    expect: {
      status: 200,
      body: { id: '{made.id}', name: 'Made {mark}', email: 'changed@example.invalid' },
    },
  },
  {
    id: '4.2-update-stays',
    rows: '4.2 update',
    before: [makeUser, update({ name: 'Changed {mark}' })],
    request: { method: 'GET', path: '/users/{made.id}', by: 'basic user' },
    expect: { status: 200, body: { id: '{made.id}', name: 'Changed {mark}', email } },
  },
  {
    id: '4.2-update-name-too-long',
    rows: ['4.2 update', '8 name', '7 validation'],
    before: [makeUser],
    request: update({ name: '{repeat n 101}' }),
    expect: violation('name'),
  },
  {
    id: '4.2-update-email-invalid',
    rows: ['4.2 update', '7 validation'],
    before: [makeUser],
    request: update({ email: 'no address' }),
    expect: violation('email'),
  },
  {
    id: '4.2-update-not-json',
    rows: '4.2 json',
    before: [makeUser],
    request: {
      method: 'PUT',
      path: '/users/{made.id}',
      by: 'basic admin',
      text: '{',
    },
    expect: invalidBody,
  },
  {
    id: '4.2-update-404',
    rows: ['4.2 update', '7 user'],
    request: {
      method: 'PUT',
      path: '/users/9007199254740991',
      by: 'basic admin',
      json: { name: 'n' },
    },
    expect: userNotFound,
  },
  {
    id: '4.3-user-anonymous',
    rows: ['4.3 other', '7 authentication'],
    request: { method: 'GET', path: '/users' },
    expect: {
      ...authenticationRequired,
      headers: { 'www-authenticate': containing('Basic realm="API"') },
    },
    when: { USERS_POLICY: 'roles' },
  },
  {
    id: '4.3-user-read-without-role',
    rows: ['4.3 user_rules', '4.3 denied', '7 denied'],
    request: { method: 'GET', path: '/users/{user.id}', by: 'basic plain' },
    expect: denied,
    when: { USERS_POLICY: 'roles' },
  },
  {
    id: '4.3-user-delete-by-user',
    rows: ['4.3 user_rules', '1 authorizes'],
    before: [makeUser],
    request: { method: 'DELETE', path: '/users/{made.id}', by: 'basic user' },
    expect: denied,
    when: { USERS_POLICY: 'roles' },
  },
  {
    id: '4.3-user-update-other',
    rows: ['4.3 user_rules', '7 denied'],
    request: {
      method: 'PUT',
      path: '/users/{other.id}',
      by: 'basic user',
      json: { name: 'Taken' },
    },
    expect: denied,
    when: { USERS_POLICY: 'roles' },
  },
  {
    id: '4.3-user-update-own',
    rows: ['4.3 user_rules', '1 authorizes'],
    request: {
      method: 'PUT',
      path: '/users/{other.id}',
      by: 'basic other',
      json: { name: 'Own {mark}' },
    },
    expect: {
      status: 200,
      body: { id: '{other.id}', name: 'Own {mark}', email: '{other.username}@example.invalid' },
    },
    when: { USERS_POLICY: 'roles' },
  },
]

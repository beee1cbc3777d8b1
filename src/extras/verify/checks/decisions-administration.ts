import { including, instant, integer, listOf, text } from '../shapes.ts'
import { type Checks, denied, refusal } from './steps.ts'

const violation = (...path: readonly string[]) => ({
  status: 400,
  body: { error: 'Validation failed', details: [{ path, message: text }] },
})
const create = (json: unknown, path = '/users') =>
  ({ method: 'POST', path, by: 'basic admin', json }) as const
const email = 'made@example.invalid'
const account = including({
  username: 'verify-{mark}-made',
  user_id: integer,
  roles: ['EDITOR'],
  locked: false,
  active: true,
  second_factor: false,
  created_at: instant,
})

/** Accounts, errors, headers and health beside the contract. */
export const decisionsAdministrationChecks: Checks = [
  {
    id: 'd-account-own',
    rows: 'decisions account',
    request: { method: 'GET', path: '/api/account', by: 'basic plain' },
    expect: {
      status: 200,
      body: including({
        username: '{plain.username}',
        roles: [],
        second_factor: false,
        user: {
          id: '{plain.id}',
          name: '{plain.username}',
          email: '{plain.username}@example.invalid',
        },
        created_at: instant,
      }),
    },
  },
  {
    id: 'd-account-confirmation',
    rows: 'decisions account',
    request: {
      method: 'PUT',
      path: '/api/account/password',
      by: 'bearer user',
      json: { new_password: '{other.password}' },
    },
    expect: {
      status: 401,
      body: including({ error: 'Confirmation required', proofs: listOf(text, 1) }),
    },
  },
  {
    id: 'd-accounts-create',
    rows: 'decisions accounts',
    request: create(
      {
        username: 'verify-{mark}-made',
        password: '{other.password}',
        roles: ['ROLE_EDITOR'],
        name: 'Made',
        email,
      },
      '/api/admin/accounts',
    ),
    expect: { status: 201, body: account },
  },
  {
    id: 'd-accounts-user-taken',
    rows: 'decisions accounts',
    request: create(
      {
        username: 'verify-{mark}-twice',
        password: '{other.password}',
        roles: [],
        user_id: '{user.id}',
      },
      '/api/admin/accounts',
    ),
    expect: refusal(409, 'User already has an account'),
  },
  {
    id: 'd-accounts-unknown-role',
    rows: 'decisions accounts',
    request: {
      method: 'PUT',
      path: '/api/admin/accounts/{other.username}',
      by: 'basic admin',
      json: { roles: ['NO_ROLE_OF_ANYONE'] },
    },
    expect: violation('roles', '0'),
  },
  {
    id: 'd-accounts-own-password',
    rows: 'decisions accounts',
    request: {
      method: 'PUT',
      path: '/api/admin/accounts/{admin.username}',
      by: 'basic admin',
      json: { password: '{other.password}' },
    },
    expect: denied,
  },
  {
    id: 'd-accounts-404',
    rows: 'decisions accounts',
    request: {
      method: 'GET',
      path: '/api/admin/accounts/no-such-account-of-anyone',
      by: 'basic operator',
    },
    expect: refusal(404, 'Account not found'),
  },
  {
    id: 'd-error-content-type',
    rows: 'decisions errors',
    request: { ...create(undefined), form: { name: 'New', email } },
    expect: refusal(400, 'Invalid request body'),
  },
  {
    id: 'd-error-charset',
    rows: 'decisions errors',
    request: {
      ...create({ name: 'New', email }),
      headers: { 'content-type': 'application/json; charset=utf-16' },
    },
    expect: refusal(415, 'Unsupported media type'),
  },
  {
    id: 'd-error-large-login',
    rows: 'decisions errors',
    request: {
      method: 'POST',
      path: '/login',
      json: { username: 'verify', password: '{repeat long 5000}' },
    },
    expect: refusal(413, 'Request body too large'),
  },
  {
    id: 'd-headers',
    rows: 'decisions headers',
    request: { method: 'GET', path: '/api/public/status' },
    expect: {
      status: 200,
      headers: { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
    },
  },
  {
    id: 'd-health-live',
    rows: 'decisions health',
    request: { method: 'GET', path: '/health/live' },
    expect: { status: 200, body: including({ status: text }) },
  },
  {
    id: 'd-health-ready',
    rows: 'decisions health',
    request: { method: 'GET', path: '/health/ready' },
    expect: { status: 200, body: including({ status: text }) },
  },
  {
    id: 'd-health-status',
    rows: 'decisions health',
    request: { method: 'GET', path: '/api/public/status' },
    expect: { status: 200, body: including({ status: 'ok' }) },
  },
]

import type { Check } from '../check.ts'
import { listOf, text } from '../shapes.ts'
import {
  authenticationRequired,
  badToken,
  type Checks,
  cookie,
  logIn,
  refusal,
  takePair,
  takeToken,
  tokenHeader,
} from './steps.ts'

const newPassword = (password: string): Check['request'] => ({
  method: 'POST',
  path: '/api/admin/accounts',
  by: 'basic admin',
  json: {
    username: 'verify-{mark}-weak',
    password,
    roles: [],
    name: 'Weak',
    email: 'weak@example.invalid',
  },
})
const weak = {
  status: 400,
  body: { error: 'Validation failed', details: listOf({ path: ['password'], message: text }, 1) },
}

/** Passwords, names, and what ends with time. */
export const limitsChecks: Checks = [
  {
    id: '5.6-too-short',
    rows: ['5.6 length', '8 password'],
    request: newPassword('elevenchars'),
    expect: weak,
  },
  {
    id: '5.6-breached',
    rows: '5.6 breached',
    request: newPassword('password123456'),
    expect: weak,
  },
  {
    id: '2.2-username-unique',
    rows: '2.2 username',
    request: {
      method: 'POST',
      path: '/api/admin/accounts',
      by: 'basic admin',
      json: {
        username: '{user.username}',
        password: '{other.password}',
        roles: [],
        name: 'Second',
        email: 'second@example.invalid',
      },
    },
    expect: refusal(409, 'Username already exists'),
  },
  {
    id: '3.1-idle',
    rows: ['3.1 idle', '8 idle', '5.2 cookie'],
    before: [logIn('user'), { wait: 'SESSION_IDLE_SECONDS' }],
    request: { method: 'GET', path: '/api/protected', headers: cookie },
    expect: authenticationRequired,
  },
  {
    id: '3.2-expired',
    rows: ['3.2 expired', '8 token', '7 filter'],
    before: [takeToken('user'), { wait: 'LOGIN_TOKEN_SECONDS' }],
    request: { method: 'GET', path: '/users/{user.id}', headers: tokenHeader },
    expect: badToken,
  },
  {
    id: '3.2-access-expired',
    rows: ['3.2 expired', '8 access'],
    before: [takePair('user'), { wait: 'ACCESS_TOKEN_SECONDS' }],
    request: {
      method: 'GET',
      path: '/users/{user.id}',
      headers: { authorization: 'Bearer {access}' },
    },
    expect: badToken,
  },
  {
    id: '4.1-refresh-expired',
    rows: ['4.1 refresh', '8 refresh', '7 refresh'],
    before: [takePair('user'), { wait: 'REFRESH_TOKEN_SECONDS' }],
    request: { method: 'POST', path: '/refresh', form: { refresh_token: '{refresh}' } },
    expect: refusal(401, 'Invalid refresh token'),
  },
]

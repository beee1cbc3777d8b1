import { both, bytes32, instant, not, text } from '../shapes.ts'
import {
  authenticationRequired,
  type Checks,
  cookie,
  credentials,
  denied,
  logIn,
  refusal,
} from './steps.ts'

const violation = (...path: readonly string[]) => ({
  status: 400,
  body: { error: 'Validation failed', details: [{ path, message: text }] },
})
const login = (json: object) => ({ method: 'POST', path: '/login', json }) as const
const loggedIn = { message: text, csrf_token: bytes32 }
const bearer = { token: text, token_type: 'Bearer', expires_in: '{LOGIN_TOKEN_SECONDS}' }

/** Login and sessions beside the contract. */
export const decisionsLoginChecks: Checks = [
  {
    id: 'd-login-token-body',
    rows: 'decisions login',
    request: login({ ...credentials('user'), mode: 'token' }),
    expect: { status: 200, body: bearer },
  },
  {
    id: 'd-login-pair-body',
    rows: 'decisions login',
    request: login({ ...credentials('user'), mode: 'pair' }),
    expect: {
      status: 200,
      body: {
        access_token: text,
        refresh_token: text,
        token_type: 'Bearer',
        expires_in: '{ACCESS_TOKEN_SECONDS}',
      },
    },
  },
  {
    id: 'd-login-json-session',
    rows: 'decisions login',
    request: login({ ...credentials('user'), mode: 'session' }),
    expect: { status: 200, cookie: ['HttpOnly', 'Path=/'], body: loggedIn },
  },
  {
    id: 'd-login-unknown-mode',
    rows: 'decisions login',
    request: login({ ...credentials('user'), mode: 'other' }),
    expect: violation('mode'),
  },
  {
    id: 'd-login-empty',
    rows: 'decisions login',
    request: login({ username: '{plain.username}', password: '' }),
    expect: refusal(401, 'Invalid credentials'),
    isWrongLogin: true,
  },
  {
    id: 'd-login-not-a-text',
    rows: 'decisions login',
    request: login({ username: '{plain.username}', password: true }),
    expect: refusal(401, 'Invalid credentials'),
    isWrongLogin: true,
  },
  {
    id: 'd-login-canonical-name',
    rows: 'decisions login',
    request: login({
      username: '  {user.username} ',
      password: '{user.password}',
      mode: 'token',
    }),
    expect: { status: 200, body: bearer },
  },
  {
    id: 'd-login-cross-site',
    rows: 'decisions login',
    request: {
      ...login({ ...credentials('user'), mode: 'session' }),
      headers: { origin: 'https://verify.invalid', 'sec-fetch-site': 'cross-site' },
    },
    expect: { ...denied, cookie: null },
  },
  {
    id: 'd-session-read',
    rows: ['decisions session', '2.3 user_id', '2.3 username', '2.3 roles', '3.1 login'],
    before: [logIn('user')],
    request: { method: 'GET', path: '/api/session', headers: cookie },
    expect: {
      status: 200,
      body: {
        user_id: '{user.subject}',
        username: '{user.username}',
        roles: ['USER'],
        csrf_token: '{csrf}',
        expires_at: instant,
      },
    },
  },
  {
    id: 'd-session-login-ends-the-one-before',
    rows: 'decisions session',
    before: [
      logIn('user'),
      {
        method: 'POST',
        path: '/login',
        form: { ...credentials('user'), mode: 'session' },
        headers: cookie,
      },
    ],
    request: { method: 'GET', path: '/api/protected', headers: cookie },
    expect: authenticationRequired,
  },
  {
    id: 'd-session-new-id',
    rows: 'decisions session',
    before: [{ ...logIn('user'), keep: { former: 'csrf_token' } }],
    request: { method: 'POST', path: '/login', form: { ...credentials('user'), mode: 'session' } },
    expect: { status: 200, body: { ...loggedIn, csrf_token: both(bytes32, not('{former}')) } },
  },
  {
    id: 'd-session-csrf-on-users',
    rows: ['decisions session', '5.2 csrf'],
    before: [logIn('user')],
    request: {
      method: 'PUT',
      path: '/users/{user.id}',
      headers: cookie,
      json: { name: '{user.username}' },
    },
    expect: refusal(403, 'CSRF token invalid'),
  },
  {
    id: 'd-transfer-message',
    rows: 'decisions session',
    request: { method: 'POST', path: '/api/transfer', by: 'session user', json: { any: 'body' } },
    expect: { status: 200, body: { message: text } },
  },
]

import { bytes32, containing, text } from '../shapes.ts'
import {
  authenticationRequired,
  type Checks,
  cookie,
  credentials,
  logIn,
  refusal,
} from './steps.ts'

const flags = ['HttpOnly', 'Secure', 'SameSite=Strict']
const csrfInvalid = refusal(403, 'CSRF token invalid')
const loggedIn = { message: text, csrf_token: bytes32 }
const transfer = { method: 'POST', path: '/api/transfer' } as const
const session = { method: 'GET', path: '/api/protected', headers: cookie } as const

/** Sessions, from the login to the logout. */
export const loginChecks: Checks = [
  {
    id: '4.1-login-session',
    rows: ['4.1 session', '3.1 login', '2.3 csrf_token', '8 csrf', '2.3 cookie', '1 authenticates'],
    request: { method: 'POST', path: '/login', form: { ...credentials('user'), mode: 'session' } },
    expect: { status: 200, cookie: flags, body: loggedIn },
  },
  {
    id: '4.1-login-form-session',
    rows: '4.1 session',
    request: { method: 'POST', path: '/login', form: credentials('user') },
    expect: { status: 200, cookie: flags, body: loggedIn },
    when: { LOGIN_FORM_MODE: 'session' },
  },
  {
    id: '5.2-cookie-flags',
    rows: '5.2 cookie',
    request: { method: 'POST', path: '/login', form: { ...credentials('user'), mode: 'session' } },
    expect: { status: 200, cookie: flags },
  },
  {
    id: '4.1-logout-session',
    rows: ['4.1 logout', '3.1 logout'],
    before: [logIn('user')],
    request: { method: 'POST', path: '/logout', headers: cookie },
    expect: { status: 200, body: { message: text } },
  },
  {
    id: '3.1-logout-ends',
    rows: ['3.1 logout', '1 tokens'],
    before: [logIn('user'), { method: 'POST', path: '/logout', headers: cookie }],
    request: session,
    expect: authenticationRequired,
  },
  {
    id: '3.1-logout-none',
    rows: ['3.1 none', '4.1 logout'],
    before: [
      logIn('user'),
      { method: 'POST', path: '/logout', headers: cookie, keep: { goodbye: 'body' } },
    ],
    request: { method: 'POST', path: '/logout' },
    expect: { status: 200, body: '{goodbye}' },
  },
  {
    id: '4.1-protected-200',
    rows: ['4.1 protected', '2.3 username', '3.1 login'],
    before: [logIn('user')],
    request: session,
    expect: { status: 200, body: { message: containing('{user.username}') } },
  },
  {
    id: '4.1-protected-401',
    rows: ['4.1 protected', '7 authentication'],
    request: { method: 'GET', path: '/api/protected' },
    expect: authenticationRequired,
  },
  {
    id: '4.1-protected-bearer',
    rows: '4.1 protected',
    request: { method: 'GET', path: '/api/protected', by: 'bearer user' },
    expect: authenticationRequired,
  },
  {
    id: '4.1-protected-unknown-session',
    rows: ['4.1 protected', '2.3 user_id'],
    request: {
      method: 'GET',
      path: '/api/protected',
      headers: { cookie: '{SESSION_COOKIE_NAME}={repeat A 43}' },
    },
    expect: authenticationRequired,
  },
  {
    id: '4.1-transfer-200',
    rows: ['4.1 transfer', '5.2 csrf', '1 csrf'],
    before: [logIn('user')],
    request: { ...transfer, headers: { ...cookie, 'x-csrf-token': '{csrf}' } },
    expect: { status: 200 },
  },
  {
    id: '4.1-transfer-401',
    rows: '4.1 transfer',
    request: transfer,
    expect: { status: 401, body: '' },
  },
  {
    id: '4.1-transfer-no-csrf',
    rows: ['4.1 transfer', '5.2 csrf', '7 csrf', '1 csrf'],
    before: [logIn('user')],
    request: { ...transfer, headers: cookie },
    expect: csrfInvalid,
  },
  {
    id: '4.1-transfer-wrong-csrf',
    rows: ['4.1 transfer', '5.2 csrf', '7 csrf'],
    before: [logIn('user')],
    request: { ...transfer, headers: { ...cookie, 'x-csrf-token': '{repeat A 43}' } },
    expect: csrfInvalid,
  },
  {
    id: '5.2-csrf-other-session',
    rows: ['5.2 csrf', '2.3 csrf_token'],
    before: [{ ...logIn('other'), keep: { theirs: 'csrf_token' } }, logIn('user')],
    request: { ...transfer, headers: { ...cookie, 'x-csrf-token': '{theirs}' } },
    expect: csrfInvalid,
  },
]

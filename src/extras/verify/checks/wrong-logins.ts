import type { Check } from '../check.ts'
import { including, matching, text } from '../shapes.ts'
import {
  authenticationRequired,
  type Checks,
  clearAddress,
  credentials,
  invalidCredentials,
  refusal,
  times,
  wrongLogin,
} from './steps.ts'

const throttled = refusal(429, 'Too many login attempts')
const withoutCaptcha = { LOGIN_PROOF_OF_WORK_AFTER: '0', LOGIN_ATTEMPTS: '5' } as const
const login = (
  person: 'user' | 'locked' | 'disabled' | 'target' | 'guessed',
): Check['request'] => ({
  method: 'POST',
  path: '/login',
  json: { ...credentials(person), mode: 'token' },
})
const wrong = wrongLogin('target') as Check['request']
const clearTarget = {
  method: 'DELETE',
  path: '/api/admin/throttle/{target.username}',
  by: 'bearer admin',
} as const
const opened = { status: 200, body: including({ token: text }) }

/** Wrong logins, which a run sends last, and whose counts it clears. */
export const wrongLoginsChecks: Checks = [
  {
    id: '4.1-login-session-401',
    rows: ['4.1 session', '3.1 refused', '7 credentials'],
    request: {
      method: 'POST',
      path: '/login',
      form: { username: '{user.username}', password: 'not the password', mode: 'session' },
    },
    expect: { ...invalidCredentials, cookie: null },
    isWrongLogin: true,
  },
  {
    id: '4.1-login-token-401',
    rows: ['4.1 token', '4.1 json', '7 credentials'],
    request: { ...wrong, json: { username: '{user.username}', password: 'no', mode: 'token' } },
    expect: { ...invalidCredentials, cookie: null },
    isWrongLogin: true,
  },
  {
    id: '4.1-login-unknown-401',
    rows: ['4.1 json', '7 credentials'],
    request: { ...wrong, json: { username: 'verify-{mark}-nobody', password: 'not known' } },
    expect: invalidCredentials,
    isWrongLogin: true,
  },
  {
    id: '2.2-locked',
    rows: ['2.2 locked', '3.4 states'],
    request: login('locked'),
    expect: invalidCredentials,
    isWrongLogin: true,
  },
  {
    id: '2.2-disabled',
    rows: ['2.2 active', '3.4 states'],
    request: login('disabled'),
    expect: invalidCredentials,
    isWrongLogin: true,
  },
  {
    id: '5.1-wrong-password',
    rows: ['5.1 wrong', '7 authentication'],
    request: {
      method: 'GET',
      path: '/users/{user.id}',
      headers: { authorization: 'Basic {wrong user}' },
    },
    expect: {
      ...authenticationRequired,
      headers: { 'www-authenticate': matching(/Basic realm="API"/) },
    },
    isWrongLogin: true,
  },
  {
    id: '3.3-fifth-attempt',
    rows: ['3.3 allowed', '8 attempts'],
    before: [clearAddress, ...times(4, () => wrongLogin('target'))],
    request: wrong,
    expect: invalidCredentials,
    after: [clearTarget],
    isWrongLogin: true,
    when: withoutCaptcha,
  },
  {
    id: '3.3-blocked',
    rows: ['3.3 blocked', '4.1 json', '7 throttle', '8 attempts'],
    before: [clearTarget, ...times(5, () => wrongLogin('target'))],
    request: login('target'),
    expect: throttled,
    after: [clearTarget, clearAddress],
    isWrongLogin: true,
    when: withoutCaptcha,
  },
  {
    id: 'd-throttle-retry-after',
    rows: 'decisions login',
    before: [clearTarget, ...times(5, () => wrongLogin('target'))],
    request: login('target'),
    expect: { ...throttled, headers: { 'retry-after': matching(/^[1-9]\d*$/) } },
    after: [clearTarget, clearAddress],
    isWrongLogin: true,
    when: withoutCaptcha,
  },
  {
    id: '3.3-other-name-allowed',
    rows: ['3.3 blocked', '8 attempts'],
    before: [clearTarget, ...times(5, () => wrongLogin('target'))],
    request: login('user'),
    expect: opened,
    after: [clearTarget, clearAddress],
    isWrongLogin: true,
    when: withoutCaptcha,
  },
  {
    id: '3.3-reset',
    rows: '3.3 reset',
    before: [
      clearTarget,
      ...times(4, () => wrongLogin('target')),
      login('target'),
      ...times(4, () => wrongLogin('target')),
    ],
    request: login('target'),
    expect: opened,
    after: [clearTarget, clearAddress],
    isWrongLogin: true,
    when: withoutCaptcha,
  },
  {
    id: '3.3-window',
    rows: ['3.3 allowed', '8 attempts'],
    before: [
      clearTarget,
      ...times(5, () => wrongLogin('target')),
      { wait: 'LOGIN_WINDOW_SECONDS' },
    ],
    request: login('target'),
    expect: opened,
    after: [clearTarget, clearAddress],
    isWrongLogin: true,
    when: withoutCaptcha,
  },
  {
    id: '8-address-limit',
    rows: '8 recommended',
    before: [
      clearAddress,
      ...times(20, (index) => ({
        ...wrong,
        json: { username: `verify-{mark}-nobody-${index}`, password: 'not known' },
      })),
    ],
    request: { ...wrong, json: { username: 'verify-{mark}-nobody-21', password: 'not known' } },
    expect: throttled,
    after: [clearAddress],
    isWrongLogin: true,
    when: { LOGIN_IP_ATTEMPTS: '20', LOGIN_PROOF_OF_WORK_AFTER: '0' },
  },
  {
    id: '8-lock-after-10',
    rows: '8 recommended',
    before: [
      ...times(5, () => wrongLogin('guessed')),
      { wait: 'LOGIN_WINDOW_SECONDS' },
      ...times(5, () => wrongLogin('guessed')),
      { wait: 'LOGIN_WINDOW_SECONDS' },
    ],
    request: login('guessed'),
    expect: invalidCredentials,
    after: [clearAddress],
    isWrongLogin: true,
    when: { ...withoutCaptcha, LOGIN_LOCK_AFTER: '10' },
  },
  {
    id: '8-captcha-after-3',
    rows: '8 recommended',
    before: [clearTarget, ...times(3, () => wrongLogin('target'))],
    request: login('target'),
    expect: { status: 401, body: including({ error: 'Captcha required' }) },
    after: [clearTarget, clearAddress],
    isWrongLogin: true,
    when: { LOGIN_PROOF_OF_WORK_AFTER: '3' },
  },
  {
    id: '8-rate-limit',
    rows: '8 rate',
    before: times(100, () => ({ method: 'GET', path: '/api/public/status' }) as const),
    request: { method: 'GET', path: '/api/public/status' },
    expect: {
      ...refusal(429, 'Too many requests'),
      headers: { 'retry-after': matching(/^\d+$/) },
    },
    when: { RATE_LIMIT_MAX: '100' },
    isAlone: true,
  },
]

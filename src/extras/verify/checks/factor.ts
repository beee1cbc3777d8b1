import type { Check, Step } from '../check.ts'
import { including, matching, text } from '../shapes.ts'
import { authenticationRequired, type Checks, credentials, refusal } from './steps.ts'

const enrol: Step = {
  method: 'POST',
  path: '/api/account/totp',
  by: 'basic factor',
  json: { current_password: '{factor.password}' },
  keep: { seed: 'secret', uri: 'uri' },
}
const confirm: Step = {
  method: 'PUT',
  path: '/api/account/totp',
  by: 'basic factor',
  json: { totp: '{totp seed -1}' },
}
const removeFactor: Step = {
  method: 'DELETE',
  path: '/api/admin/accounts/{factor.username}/second-factor',
  by: 'basic admin',
}
const login = (totp?: string): Check['request'] => ({
  method: 'POST',
  path: '/login',
  json: { ...credentials('factor'), mode: 'token', ...(totp !== undefined && { totp }) },
})
const opened = { status: 200, body: including({ token: text }) }
const withFactor = { before: [enrol, confirm], after: [removeFactor] } as const

/** The codes of an account of this run; each check sets the factor up, and removes it. */
export const factorChecks: Checks = [
  {
    id: '5.5-uri',
    rows: ['5.5 uri', '2.2 second_factor'],
    request: {
      method: 'POST',
      path: '/api/account/totp',
      by: 'basic factor',
      json: { current_password: '{factor.password}' },
    },
    expect: {
      status: 201,
      body: including({
        secret: matching(/^[A-Z2-7]{32,}$/),
        uri: matching(/^otpauth:\/\/totp\/[^:]+:[^?]+\?secret=[A-Z2-7]+&issuer=[^&]+/),
      }),
    },
  },
  {
    id: '5.5-code-required',
    rows: '5.5 factor',
    ...withFactor,
    request: login(),
    expect: { status: 401, body: including({ error: 'Second factor required' }) },
  },
  {
    id: '5.5-code-present',
    rows: ['5.5 factor', '8 totp'],
    ...withFactor,
    request: login('{totp seed 0}'),
    expect: opened,
  },
  {
    id: '5.5-code-next',
    rows: ['5.5 factor', '8 totp'],
    ...withFactor,
    request: login('{totp seed 1}'),
    expect: opened,
  },
  {
    id: '5.5-code-too-late',
    rows: ['5.5 factor', '8 totp'],
    ...withFactor,
    request: login('{totp seed -3}'),
    expect: refusal(401, 'Invalid credentials'),
    isWrongLogin: true,
  },
  {
    id: '5.5-basic-refused',
    rows: '5.5 factor',
    ...withFactor,
    request: { method: 'GET', path: '/users/{factor.id}', by: 'basic factor' },
    expect: authenticationRequired,
    isWrongLogin: true,
  },
]

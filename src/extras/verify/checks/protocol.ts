import { containing, including, matching, text } from '../shapes.ts'
import { type Checks, refusal } from './steps.ts'

const open = { method: 'GET', path: '/api/public/status' } as const
const cross = { origin: '{CORS_ORIGINS}' }
const preflight = {
  method: 'OPTIONS',
  path: '/users/1',
  headers: { ...cross, 'access-control-request-method': 'PUT' },
} as const

const security: Readonly<Record<string, unknown>> = {
  'content-security-policy': "default-src 'self'; script-src 'self'",
  'x-frame-options': 'DENY',
  'x-xss-protection': '1; mode=block',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': matching(/^max-age=31536000; *includeSubDomains$/i),
}
const rowsOfHeaders = ['5.7 csp', '5.7 frame', '5.7 xss', '5.7 sniff', '5.7 hsts'] as const

/** Headers of every answer, calls from other origins, and errors of any route. */
export const protocolChecks: Checks = [
  ...Object.entries(security).map(([name, value], index) => ({
    id: `5.7-${name}`,
    rows: rowsOfHeaders[index] ?? '5.7 csp',
    request: open,
    expect: { status: 200, headers: { [name]: value } },
  })),
  {
    id: '5.7-of-404',
    rows: rowsOfHeaders,
    request: { method: 'GET', path: '/no-such-route' },
    expect: { status: 404, headers: security },
  },
  {
    id: '5.7-of-401',
    rows: rowsOfHeaders,
    request: { method: 'GET', path: '/users' },
    expect: { status: 401, headers: security },
    when: { USERS_POLICY: 'roles' },
  },
  {
    id: '5.7-of-400',
    rows: rowsOfHeaders,
    request: { method: 'POST', path: '/login', text: '{' },
    expect: { status: 400, headers: security },
  },
  {
    id: '7-login-not-json',
    rows: ['7 json', '7 shape'],
    request: { method: 'POST', path: '/login', text: '{' },
    expect: refusal(400, 'Invalid request body'),
  },
  {
    id: '7-shape-of-401',
    rows: ['7 shape', '7 authentication'],
    request: { method: 'GET', path: '/api/protected' },
    expect: {
      status: 401,
      headers: { 'content-type': matching(/^application\/json/) },
      body: { error: text },
    },
  },
  {
    id: '4.5-origin',
    rows: ['4.5 origins', '4.5 credentials'],
    request: { ...open, headers: cross },
    expect: {
      status: 200,
      headers: {
        'access-control-allow-origin': '{CORS_ORIGINS}',
        'access-control-allow-credentials': 'true',
      },
    },
    when: { CORS_ORIGINS: true },
  },
  {
    id: '4.5-other-origin',
    rows: '4.5 origins',
    request: { ...open, headers: { origin: 'https://verify.invalid' } },
    expect: { status: 200, headers: { 'access-control-allow-origin': null } },
  },
  {
    id: '4.5-preflight-methods',
    rows: '4.5 methods',
    request: preflight,
    expect: {
      status: 204,
      headers: {
        'access-control-allow-methods': matching(
          /^(?=.*\bGET\b)(?=.*\bPOST\b)(?=.*\bPUT\b)(?=.*\bDELETE\b)/,
        ),
      },
    },
    when: { CORS_ORIGINS: true },
  },
  {
    id: '4.5-preflight-headers',
    rows: '4.5 headers',
    request: preflight,
    expect: {
      status: 204,
      headers: {
        'access-control-allow-headers': matching(/^(?=.*content-type)(?=.*authorization)/i),
      },
    },
    when: { CORS_ORIGINS: true },
  },
  {
    id: '4.4-authorization-request',
    rows: ['4.4 authorize', '1 external', '5.4 provider', '8 pkce'],
    request: { method: 'GET', path: '/oauth/login' },
    expect: {
      status: [302, 303, 307],
      headers: {
        location: matching(
          /^(?=.*[?&]client_id=)(?=.*[?&]redirect_uri=)(?=.*[?&]response_type=code\b)(?=.*[?&]scope=)(?=.*[?&]state=)(?=.*[?&]code_challenge=[\w-]{43}\b)(?=.*[?&]code_challenge_method=S256\b)/,
        ),
      },
    },
    when: { OIDC_CLIENT_ID: true },
  },
  {
    id: '4.4-authorization-client',
    rows: '4.4 authorize',
    request: { method: 'GET', path: '/oauth/login' },
    expect: {
      status: [302, 303, 307],
      headers: { location: containing('client_id={OIDC_CLIENT_ID}') },
    },
    when: { OIDC_CLIENT_ID: true },
  },
  {
    id: '4.4-discovery',
    rows: '4.4 discovery',
    request: { method: 'GET', path: '/.well-known/openid-configuration' },
    expect: {
      status: 200,
      body: including({
        issuer: text,
        authorization_endpoint: text,
        token_endpoint: text,
        userinfo_endpoint: text,
        jwks_uri: text,
      }),
    },
    when: { PROVIDER: 'on' },
  },
]

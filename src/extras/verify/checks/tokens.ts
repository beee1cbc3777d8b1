import { both, exactly, including, integer, jwt, lifetime, not, oneOf, text } from '../shapes.ts'
import { type Checks, credentials, refusal, takePair, takeToken, tokenHeader } from './steps.ts'

const invalidRefresh = refusal(401, 'Invalid refresh token')
const header = including({ alg: oneOf('HS256', 'RS256'), typ: 'JWT' })
const claims = (person: string, seconds: string) =>
  both(
    including({
      iss: text,
      sub: `{${person}.subject}`,
      aud: text,
      exp: integer,
      nbf: integer,
      iat: integer,
      jti: text,
      username: `{${person}.username}`,
      roles: ['USER'],
      type: 'access',
    }),
    lifetime(seconds),
  )

/** Tokens, pairs, and the route that refreshes. */
export const tokensChecks: Checks = [
  {
    id: '4.1-login-form-token',
    rows: '4.1 token',
    request: { method: 'POST', path: '/login', form: credentials('user') },
    expect: {
      status: 200,
      cookie: null,
      body: including({ token: text, expires_in: '{LOGIN_TOKEN_SECONDS}' }),
    },
    when: { LOGIN_FORM_MODE: 'token' },
  },
  {
    id: '4.1-login-token',
    rows: ['4.1 token', '4.1 lifetimes', '8 token', '1 tokens'],
    request: { method: 'POST', path: '/login', form: { ...credentials('user'), mode: 'token' } },
    expect: {
      status: 200,
      cookie: null,
      body: including({ token: text, expires_in: '{LOGIN_TOKEN_SECONDS}' }),
    },
  },
  {
    id: '4.1-login-json',
    rows: '4.1 json',
    request: { method: 'POST', path: '/login', json: credentials('user') },
    expect: { status: 200, cookie: null, body: including({ token: text }) },
    when: { LOGIN_JSON_MODE: 'token' },
  },
  {
    id: '2.4-claims',
    rows: [
      ...(['header', 'iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti'] as const).map(
        (name) => `2.4 ${name}` as const,
      ),
      ...(['username', 'roles', 'type'] as const).map((name) => `2.4 ${name}` as const),
      '4.1 lifetimes',
      '8 token',
    ],
    request: { method: 'POST', path: '/login', json: { ...credentials('user'), mode: 'token' } },
    expect: {
      status: 200,
      body: including({ token: jwt(header, claims('user', '{LOGIN_TOKEN_SECONDS}')) }),
    },
  },
  {
    id: '2.4-jti-unique',
    rows: '2.4 jti',
    before: [takeToken('user')],
    request: { method: 'POST', path: '/login', json: { ...credentials('user'), mode: 'token' } },
    expect: { status: 200, body: including({ token: both(not('{token}')) }) },
  },
  {
    id: '2.5-pair',
    rows: [
      ...(['access_token', 'refresh_token'] as const).map((name) => `2.5 ${name}` as const),
      ...(['4.1 lifetimes', '8 access', '8 refresh', '2.4 type'] as const),
    ],
    request: { method: 'POST', path: '/login', json: { ...credentials('user'), mode: 'pair' } },
    expect: {
      status: 200,
      body: including({
        access_token: jwt(header, claims('user', '{ACCESS_TOKEN_SECONDS}')),
        refresh_token: jwt(
          including({ typ: 'JWT' }),
          both(
            exactly({
              iss: text,
              sub: '{user.subject}',
              type: 'refresh',
              iat: integer,
              exp: integer,
            }),
            lifetime('{REFRESH_TOKEN_SECONDS}'),
          ),
        ),
        expires_in: '{ACCESS_TOKEN_SECONDS}',
      }),
    },
  },
  {
    id: '4.1-refresh-200',
    rows: ['4.1 refresh', '1 tokens', '8 access', '4.1 lifetimes'],
    before: [takePair('user')],
    request: { method: 'POST', path: '/refresh', form: { refresh_token: '{refresh}' } },
    expect: {
      status: 200,
      body: including({
        access_token: jwt(header, claims('user', '{ACCESS_TOKEN_SECONDS}')),
        expires_in: '{ACCESS_TOKEN_SECONDS}',
      }),
    },
  },
  {
    id: '4.1-refresh-access-token',
    rows: ['4.1 refresh', '7 refresh'],
    before: [takePair('user')],
    request: { method: 'POST', path: '/refresh', form: { refresh_token: '{access}' } },
    expect: invalidRefresh,
  },
  {
    id: '4.1-refresh-invalid',
    rows: ['4.1 refresh', '7 refresh'],
    request: { method: 'POST', path: '/refresh', form: { refresh_token: 'none' } },
    expect: invalidRefresh,
  },
  {
    id: '4.1-refresh-missing',
    rows: '4.1 refresh',
    request: { method: 'POST', path: '/refresh', form: { other: 'field' } },
    expect: invalidRefresh,
  },
  {
    id: '4.1-refresh-foreign',
    rows: ['4.1 refresh', '7 refresh'],
    before: [takePair('user')],
    request: { method: 'POST', path: '/refresh', form: { refresh_token: '{foreign refresh}' } },
    expect: invalidRefresh,
  },
  {
    id: '4.1-refresh-new-roles',
    rows: '4.1 reread',
    before: [
      takePair('leaver'),
      {
        method: 'PUT',
        path: '/api/admin/accounts/{leaver.username}',
        by: 'basic admin',
        json: { roles: ['EDITOR'] },
      },
    ],
    request: { method: 'POST', path: '/refresh', form: { refresh_token: '{refresh}' } },
    expect: {
      status: 200,
      body: including({ access_token: jwt(header, including({ roles: ['EDITOR'] })) }),
    },
  },
  {
    id: '4.1-me-200',
    rows: ['4.1 me', '5.3 header'],
    before: [takeToken('user')],
    request: { method: 'GET', path: '/api/me', headers: tokenHeader },
    expect: {
      status: 200,
      body: {
        sub: '{user.subject}',
        email: '{user.username}@example.invalid',
        name: '{user.username}',
        roles: ['USER'],
      },
    },
  },
  {
    id: '4.1-me-none',
    rows: ['4.1 me', '7 no_token', '5.3 refused'],
    request: { method: 'GET', path: '/api/me' },
    expect: refusal(401, 'No token provided'),
  },
  {
    id: '4.1-me-invalid',
    rows: ['4.1 me', '7 middleware', '5.3 refused'],
    request: { method: 'GET', path: '/api/me', headers: { authorization: 'Bearer none' } },
    expect: refusal(401, 'Invalid token'),
  },
]

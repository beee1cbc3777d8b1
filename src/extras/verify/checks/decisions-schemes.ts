import { including, integer, jwt, listOf, matching, oneOf, text } from '../shapes.ts'
import {
  authenticationRequired,
  badToken,
  type Checks,
  cookie,
  credentials,
  denied,
  logIn,
  refusal,
  routeNotFound,
  takePair,
  takeToken,
  tokenHeader,
} from './steps.ts'

const login = (json: object) => ({ method: 'POST', path: '/login', json }) as const

const publicKey = including({ kty: oneOf('RSA', 'EC', 'OKP'), kid: text, d: undefined })

/** Schemes, groups and tokens beside the contract. */
export const decisionsSchemesChecks: Checks = [
  {
    id: 'd-scheme-header-beats-cookie',
    rows: 'decisions schemes',
    before: [logIn('user')],
    request: {
      method: 'GET',
      path: '/users/{user.id}',
      headers: { ...cookie, authorization: 'Bearer none' },
    },
    expect: badToken,
  },
  {
    id: 'd-scheme-challenge-bearer',
    rows: 'decisions schemes',
    request: { method: 'GET', path: '/api/me', headers: { authorization: 'Bearer none' } },
    expect: {
      ...refusal(401, 'Invalid token'),
      headers: { 'www-authenticate': matching(/^Bearer .*error="invalid_token"/) },
    },
  },
  {
    id: 'd-scheme-challenges',
    rows: 'decisions schemes',
    request: { method: 'GET', path: '/api/posts' },
    expect: {
      ...authenticationRequired,
      headers: {
        'www-authenticate': matching(/^Basic realm="API", charset="UTF-8", Bearer\b/),
      },
    },
  },
  {
    id: 'd-scheme-no-basic-for-fetch',
    rows: 'decisions schemes',
    request: {
      method: 'GET',
      path: '/api/posts',
      headers: { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' },
    },
    expect: {
      ...authenticationRequired,
      headers: { 'www-authenticate': matching(/^Bearer\b(?!.*Basic)/) },
    },
  },
  {
    id: 'd-scheme-me-ignores-session',
    rows: 'decisions schemes',
    before: [logIn('user')],
    request: { method: 'GET', path: '/api/me', headers: cookie },
    expect: refusal(401, 'No token provided'),
  },
  {
    id: 'd-group-unknown-anonymous',
    rows: 'decisions groups',
    request: { method: 'GET', path: '/api/admin/no-such-route' },
    expect: authenticationRequired,
  },
  {
    id: 'd-group-unknown-denied',
    rows: 'decisions groups',
    request: { method: 'GET', path: '/api/admin/no-such-route', by: 'basic user' },
    expect: denied,
  },
  {
    id: 'd-group-unknown-admin',
    rows: 'decisions groups',
    request: { method: 'GET', path: '/api/admin/no-such-route', by: 'basic operator' },
    expect: routeNotFound,
  },
  {
    id: 'd-group-bare',
    rows: 'decisions groups',
    request: { method: 'GET', path: '/api/editor', by: 'basic user' },
    expect: denied,
  },
  {
    id: 'd-group-public-unknown',
    rows: 'decisions groups',
    request: { method: 'GET', path: '/api/public/no-such-route' },
    expect: routeNotFound,
  },
  {
    id: 'd-token-claims',
    rows: 'decisions tokens',
    request: login({ ...credentials('user'), mode: 'pair' }),
    expect: {
      status: 200,
      body: including({
        access_token: jwt(
          including({ kid: text }),
          including({ auth_time: integer, amr: ['pwd'], sid: text, ver: integer }),
        ),
        refresh_token: jwt(including({ rid: text, alg: matching(/^HS/) }), including({})),
      }),
    },
  },
  {
    id: 'd-token-key-set',
    rows: 'decisions tokens',
    request: { method: 'GET', path: '/.well-known/jwks.json' },
    expect: {
      status: 200,
      headers: { 'access-control-allow-origin': '*' },
      body: { keys: listOf(publicKey) },
    },
  },
  {
    id: 'd-token-ends-with-the-roles',
    rows: ['decisions tokens', '3.2 revoked'],
    before: [
      takeToken('leaver'),
      {
        method: 'PUT',
        path: '/api/admin/accounts/{leaver.username}',
        by: 'basic admin',
        json: { roles: ['USER', 'EDITOR'] },
      },
    ],
    request: { method: 'GET', path: '/users/{leaver.id}', headers: tokenHeader },
    expect: badToken,
    after: [
      {
        method: 'PUT',
        path: '/api/admin/accounts/{leaver.username}',
        by: 'basic admin',
        json: { roles: ['EDITOR'] },
      },
    ],
  },
  {
    id: 'd-token-logout-ends-refresh',
    rows: 'decisions tokens',
    before: [
      takePair('user'),
      { method: 'POST', path: '/logout', form: { refresh_token: '{refresh}' } },
    ],
    request: { method: 'POST', path: '/refresh', json: { refresh_token: '{refresh}' } },
    expect: refusal(401, 'Invalid refresh token'),
  },
  {
    id: 'd-token-refresh-not-in-query',
    rows: 'decisions tokens',
    before: [takePair('user')],
    request: { method: 'POST', path: '/refresh?refresh_token={refresh}' },
    expect: refusal(401, 'Invalid refresh token'),
  },
]

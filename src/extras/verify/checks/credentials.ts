import { containing, including } from '../shapes.ts'
import { badToken, type Checks, refusal, takePair, takeToken, tokenHeader } from './steps.ts'

/** Of a route for which any scheme will do. */
const route = { method: 'GET', path: '/users/{user.id}' } as const
const withHeader = (authorization: string) => ({ ...route, headers: { authorization } })
const challenged = {
  ...refusal(401, 'Authentication required'),
  headers: { 'www-authenticate': containing('Basic realm="API"') },
}

/** Basic and bearer credentials, other than wrong passwords. */
export const credentialsChecks: Checks = [
  {
    id: '5.1-basic-200',
    rows: ['5.1 header', '1 authenticates'],
    request: withHeader('Basic {basic user}'),
    expect: { status: 200 },
  },
  {
    id: '5.1-basic-colon-utf8',
    rows: '5.1 header',
    request: {
      method: 'GET',
      path: '/users/{colon.id}',
      headers: { authorization: 'Basic {basic colon}' },
    },
    expect: { status: 200 },
  },
  {
    id: '5.1-missing',
    rows: ['5.1 missing', '7 authentication'],
    request: route,
    expect: challenged,
  },
  {
    id: '5.1-other-scheme',
    rows: '5.1 missing',
    request: withHeader('Digest username="{user.username}"'),
    expect: challenged,
  },
  {
    id: '5.1-no-colon',
    rows: ['5.1 missing', '7 authentication'],
    request: withHeader('Basic {base64 no-colon-here}'),
    expect: challenged,
  },
  {
    id: '5.3-bearer-200',
    rows: ['5.3 header', '5.3 validation', '1 authenticates'],
    before: [takeToken('user')],
    request: { ...route, headers: tokenHeader },
    expect: { status: 200 },
  },
  {
    id: '5.3-garbage',
    rows: ['5.3 refused', '7 filter'],
    request: withHeader('Bearer none'),
    expect: badToken,
  },
  {
    id: '5.3-tampered',
    rows: ['5.3 validation', '7 filter'],
    before: [takeToken('user')],
    request: withHeader('Bearer {tampered token}'),
    expect: badToken,
  },
  {
    id: '5.3-foreign-signature',
    rows: ['5.3 validation', '7 filter'],
    before: [takeToken('user')],
    request: withHeader('Bearer {foreign token}'),
    expect: badToken,
  },
  {
    id: '5.3-algorithm-none',
    rows: ['5.3 validation', '7 filter'],
    before: [takeToken('user')],
    request: withHeader('Bearer {unsigned token}'),
    expect: badToken,
  },
  {
    id: '5.3-refresh-token',
    rows: ['5.3 refresh', '7 filter'],
    before: [takePair('user')],
    request: withHeader('Bearer {refresh}'),
    expect: badToken,
  },
  {
    id: '5.3-refresh-token-me',
    rows: ['5.3 refresh', '7 middleware'],
    before: [takePair('user')],
    request: { method: 'GET', path: '/api/me', headers: { authorization: 'Bearer {refresh}' } },
    expect: refusal(401, 'Invalid token'),
  },
  {
    id: '2.2-no-password-shown',
    rows: ['2.2 password', '2.2 second_factor'],
    request: {
      method: 'GET',
      path: '/api/admin/accounts/{user.username}',
      by: 'basic admin',
    },
    expect: {
      status: 200,
      body: including({ username: '{user.username}', roles: ['USER'], password: undefined }),
    },
  },
  {
    id: '3.2-revoked',
    rows: '3.2 revoked',
    before: [
      takeToken('user'),
      {
        method: 'POST',
        path: '/api/admin/tokens/revoke',
        by: 'basic admin',
        json: { token: '{token}' },
      },
    ],
    request: withHeader('Bearer {token}'),
    expect: badToken,
  },
  {
    id: '3.2-revoked-by-logout',
    rows: '3.2 revoked',
    before: [takeToken('user'), { method: 'POST', path: '/logout', headers: tokenHeader }],
    request: withHeader('Bearer {token}'),
    expect: badToken,
  },
]

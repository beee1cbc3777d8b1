import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '../../src/core/policy/principal.ts'
import { type Headers, type Someone, testApp } from '../app.ts'
import { seedPosts } from '../posts.ts'

/**
 * Who may call what, written down from the specification (4.1 to 4.3, 5) and its decisions, not from
 * the rules in the source. `allowed` is what an admitted caller gets for this very request.
 */
type Caller = 'anonymous' | 'plain' | 'user' | 'editor' | 'admin' | 'owner'
type Scheme = 'basic' | 'session' | 'bearer'
interface Row {
  readonly route: string
  readonly may: readonly Caller[] | 'anyone'
  readonly allowed: number
  /** Absent: all three. */
  readonly schemes?: readonly Scheme[]
  readonly path?: string
  readonly json?: unknown
  /** A form, whose field stands for the header of a session. */
  readonly hasCsrfField?: boolean
  readonly unauthenticated?: string
  /** A look without a body would use something up. */
  readonly withoutHead?: boolean
  /** Sent with the password of the caller, as a proof. */
  readonly isProven?: true
  /** It ends what the caller came with. */
  readonly ends?: boolean
}

const callers = ['plain', 'user', 'editor', 'admin', 'owner'] as const
const schemes = ['basic', 'session', 'bearer'] as const
const authenticated = callers
const users = ['user', 'admin', 'owner'] as const
const admins = ['admin'] as const
const editors = ['editor', 'admin'] as const
const readers = ['user', 'editor', 'admin', 'owner'] as const
const noId = '424242' // no user, no post and no invitation has this id

const users4_2 = (base: string): Row[] => [
  { route: `GET ${base}/users`, may: users, allowed: 200 },
  { route: `GET ${base}/users/:id`, may: users, allowed: 200, path: `${base}/users/1` },
  { route: `POST ${base}/users`, may: admins, allowed: 400, json: {} },
  {
    route: `PUT ${base}/users/:id`,
    may: ['admin', 'owner'],
    allowed: 200,
    path: `${base}/users/{owner}`,
    json: {},
  },
  { route: `DELETE ${base}/users/:id`, may: admins, allowed: 404, path: `${base}/users/${noId}` },
]

/** The pages of the own account, for sessions alone. Their forms send the CSRF token in a field. */
const posts4_3: readonly Row[] = [
  { route: 'GET /api/posts', may: readers, allowed: 200 },
  { route: 'GET /api/posts/:id', may: readers, allowed: 200, path: '/api/posts/1' },
  { route: 'POST /api/posts', may: editors, allowed: 400, json: {} },
  {
    route: 'PUT /api/posts/:id',
    may: ['admin', 'owner'],
    allowed: 200,
    path: '/api/posts/1',
    json: {},
  },
  { route: 'DELETE /api/posts/:id', may: admins, allowed: 404, path: `/api/posts/${noId}` },
  { route: 'GET /api/editor/posts', may: editors, allowed: 200 },
  ...['PUT', 'DELETE'].map((method) => ({
    route: `${method} /api/admin/posts/:id/lock`,
    may: admins,
    allowed: 404,
    path: `/api/admin/posts/${noId}/lock`,
  })),
]

const account = { may: authenticated, schemes: ['session'] } as const
const form = { json: {}, hasCsrfField: true } as const

/**
 * Pages for a browser, asked for as a program does; a form without its flow or field is refused. Pages
 * of the own account accept a session alone.
 */
const ofPages: readonly Row[] = [
  ...[
    '',
    '/data',
    '/delete',
    '/email',
    '/notices',
    '/password',
    '/providers',
    '/second-factor',
    '/sessions',
  ].map((path): Row => ({ route: `GET /account${path}`, ...account, allowed: 200 })),
  { route: 'GET /account/providers/leave', ...account, allowed: 303 }, // without its flow
  { route: 'GET /account/confirm', ...account, allowed: 303 }, // without a change
  { route: 'GET /account/confirm/leave', ...account, allowed: 303 }, // without its flow
  { route: 'GET /account/second-factor/set-up', ...account, allowed: 303 }, // without its flow
  { route: 'GET /account/second-factor/remove', ...account, allowed: 303 }, // there is none
  { route: 'GET /account/recovery-codes', ...account, allowed: 200, withoutHead: true },
  {
    route: 'POST /account/confirm',
    ...account,
    ...form,
    path: '/account/confirm?for=email',
    allowed: 401,
  },
  { route: 'POST /account/delete', ...account, ...form, allowed: 400 },
  { route: 'POST /account/email', ...account, ...form, allowed: 400 },
  { route: 'POST /account/email/confirm', ...account, ...form, allowed: 400 },
  { route: 'POST /account/email/cancel', ...account, ...form, allowed: 303 },
  { route: 'POST /account/language', ...account, ...form, allowed: 303 },
  {
    route: 'POST /account/password',
    ...account,
    ...form,
    json: { new_password: 'x' },
    allowed: 400,
  },
  { route: 'POST /account/providers/link', ...account, ...form, allowed: 400 },
  { route: 'POST /account/providers/unlink', ...account, ...form, allowed: 404 },
  {
    route: 'POST /account/recovery-codes',
    ...account,
    ...form,
    json: { totp: '000000' },
    allowed: 303, // to the confirmation page
  },
  { route: 'POST /account/second-factor/set-up', ...account, ...form, allowed: 303 },
  { route: 'POST /account/second-factor/confirm', ...account, ...form, allowed: 400 },
  { route: 'POST /account/second-factor/remove', ...account, ...form, allowed: 303 },
  { route: 'POST /account/sessions/end', ...account, ...form, allowed: 404 },
  { route: 'POST /account/sessions/end-others', ...account, ...form, allowed: 303, ends: true },
  ...['/signin', '/signout', '/reset', '/verify'].map(
    (path): Row => ({
      route: `GET ${path}`,
      may: 'anyone',
      allowed: 200,
      path: `${path}?again=1`, // a caller that is signed in already may sign in once more
      withoutHead: path !== '/signout',
    }),
  ),
  ...['/signin', '/reset', '/verify'].map(
    (path): Row => ({ route: `POST ${path}`, may: 'anyone', allowed: 400, json: {} }),
  ),
  { route: 'POST /signout', may: 'anyone', ...form, allowed: 303, ends: true },
]

const table: readonly Row[] = [
  { route: 'GET /health/live', may: 'anyone', allowed: 200 },
  { route: 'GET /health/ready', may: 'anyone', allowed: 200 },
  { route: 'GET /api/public/status', may: 'anyone', allowed: 200 },
  { route: 'GET /api/public/captcha', may: 'anyone', allowed: 404 },
  { route: 'POST /login', may: 'anyone', allowed: 401, json: {} },
  { route: 'POST /logout', may: 'anyone', allowed: 200, ends: true },
  { route: 'POST /refresh', may: 'anyone', allowed: 401, json: {} },
  { route: 'GET /.well-known/jwks.json', may: 'anyone', allowed: 200 },
  { route: 'GET /api/session', may: authenticated, allowed: 200, schemes: ['session'] },
  { route: 'GET /api/protected', may: authenticated, allowed: 200, schemes: ['session'] },
  {
    route: 'POST /api/transfer',
    may: authenticated,
    allowed: 200,
    schemes: ['session'],
    unauthenticated: '',
  },
  {
    route: 'GET /api/me',
    may: authenticated,
    allowed: 200,
    schemes: ['bearer'],
    unauthenticated: '{"error":"No token provided"}',
  },
  ...users4_2(''),
  ...users4_2('/api/v1'),
  ...users4_2('/api/v2'),
  ...(
    [
      ['/api/account', authenticated],
      ['/api/user/account', ['user', 'owner']],
    ] as const
  ).flatMap(([base, may]): Row[] => [
    { route: `POST ${base}/totp`, may, allowed: 201, json: {}, isProven: true },
    { route: `PUT ${base}/totp`, may, allowed: 400 },
    { route: `DELETE ${base}/totp`, may, allowed: 404 },
    { route: `POST ${base}/recovery-codes`, may, allowed: 400 },
    { route: `GET ${base}`, may, allowed: 200 },
    { route: `GET ${base}/export`, may, allowed: 200 },
    { route: `DELETE ${base}`, may, allowed: 400, json: {} },
    { route: `PUT ${base}/password`, may, allowed: 400, json: {} },
    { route: `GET ${base}/sessions`, may, allowed: 200 },
    {
      route: `DELETE ${base}/sessions/:id`,
      may,
      allowed: 404,
      path: `${base}/sessions/nothing`,
    },
    { route: `DELETE ${base}/sessions`, may, allowed: 200, ends: true },
    { route: `GET ${base}/identities`, may, allowed: 200 },
    { route: `POST ${base}/identities`, may, allowed: 400, json: { provider: 'nobody' } },
    { route: `DELETE ${base}/identities/:id`, may, allowed: 404, path: `${base}/identities/1` },
    { route: `GET ${base}/email`, may, allowed: 200 },
    { route: `PUT ${base}/email`, may, allowed: 400, json: {} },
    { route: `DELETE ${base}/email`, may, allowed: 200 },
    { route: `PUT ${base}/language`, may, allowed: 400, json: {} },
    { route: `GET ${base}/notices`, may, allowed: 200 },
  ]),
  { route: 'POST /api/public/verification', may: 'anyone', allowed: 400, json: {} },
  { route: 'POST /api/public/reset', may: 'anyone', allowed: 400, json: {} },
  { route: 'PUT /api/public/reset', may: 'anyone', allowed: 400, json: {} },
  // SIGN_IN_BY_MAIL is off here.
  { route: 'POST /api/public/sign-in-code', may: 'anyone', allowed: 404, json: { email: 'a' } },
  {
    route: 'PUT /api/public/sign-in-code',
    may: 'anyone',
    allowed: 404,
    json: { id: 'a', code: '1' },
  },
  ...ofPages,
  // No identity provider is configured here.
  ...['login', 'callback', 'logout'].flatMap((last): Row[] => [
    { route: `GET /oauth/${last}`, may: 'anyone', allowed: 404 },
    {
      route: `GET /oauth/:provider/${last}`,
      may: 'anyone',
      allowed: 404,
      path: `/oauth/acme/${last}`,
    },
  ]),
  { route: 'POST /oauth/logout', may: 'anyone', allowed: 404, json: {} },
  {
    route: 'POST /oauth/:provider/logout',
    may: 'anyone',
    allowed: 404,
    path: '/oauth/acme/logout',
    json: {},
  },
  { route: 'GET /oauth/second-factor', may: 'anyone', allowed: 400 },
  { route: 'POST /oauth/second-factor', may: 'anyone', allowed: 400, json: {} },
  // For clients alone: test/attacks/clients.test.ts.
  ...['introspect', 'revoke'].map((last) => ({
    route: `POST /oauth/${last}`,
    may: [],
    allowed: 200,
    schemes: [],
    unauthenticated: '{"error":"invalid_client"}',
  })),
  ...posts4_3,
  { route: 'GET /api/admin/accounts', may: admins, allowed: 200 },
  { route: 'POST /api/admin/accounts', may: admins, allowed: 400, json: {} },
  // SIGN_UP is off here.
  { route: 'POST /api/public/sign-up', may: 'anyone', allowed: 400, json: {} },
  { route: 'PUT /api/public/sign-up', may: 'anyone', allowed: 400, json: {} },
  { route: 'POST /api/public/invitation', may: 'anyone', allowed: 400, json: {} },
  { route: 'GET /signup', may: 'anyone', allowed: 403, withoutHead: true },
  { route: 'POST /signup', may: 'anyone', allowed: 403, json: {} },
  { route: 'GET /invitation', may: 'anyone', allowed: 400, withoutHead: true },
  { route: 'POST /invitation', may: 'anyone', allowed: 400, json: {} },
  { route: 'GET /api/admin/invitations', may: admins, allowed: 200 },
  { route: 'POST /api/admin/invitations', may: admins, allowed: 400, json: {} },
  {
    route: 'POST /api/admin/invitations/:id/resend',
    may: admins,
    allowed: 404,
    path: `/api/admin/invitations/${noId}/resend`,
  },
  {
    route: 'DELETE /api/admin/invitations/:id',
    may: admins,
    allowed: 404,
    path: `/api/admin/invitations/${noId}`,
  },
  {
    route: 'POST /api/admin/accounts/:username/reset',
    may: admins,
    allowed: 404,
    path: '/api/admin/accounts/nobody/reset',
    json: {},
  },
  { route: 'GET /api/admin/webhooks', may: admins, allowed: 200 },
  { route: 'POST /api/admin/webhooks', may: admins, allowed: 400, json: {} },
  { route: 'GET /api/admin/webhooks/deliveries', may: admins, allowed: 200 },
  ...(
    [
      'GET /:id',
      'PUT /:id',
      'DELETE /:id',
      'POST /:id/secret',
      'POST /:id/test',
      'POST /:id/repeat',
      'GET /:id/deliveries',
      'GET /deliveries/:id',
      'POST /deliveries/:id/repeat',
    ] as const
  ).map((name): Row => {
    const [method = '', path = ''] = name.split(' ')
    const hasBody = method === 'PUT' || name === 'POST /:id/repeat'
    return {
      route: `${method} /api/admin/webhooks${path}`,
      may: admins,
      allowed: 404,
      path: `/api/admin/webhooks${path.replace(':id', String(noId))}`,
      ...(hasBody && { json: {} }),
    }
  }),
  ...['keys', 'clients', 'imports', 'mail/previews', 'audit/types', 'audit/export'].map((name) => ({
    route: `GET /api/admin/${name}`,
    may: admins,
    allowed: 200,
  })),
  {
    route: 'GET /api/admin/mail/previews/:id',
    may: admins,
    allowed: 200,
    path: '/api/admin/mail/previews/reset',
  },
  { route: 'GET /api/admin/audit/verification', may: admins, allowed: 200 },
  { route: 'POST /api/admin/audit/verification', may: admins, allowed: 202 },
  { route: 'POST /api/admin/keys/rotate', may: admins, allowed: 400, json: { purpose: 'none' } },
  {
    route: 'POST /api/admin/keys/:kid/retire',
    may: admins,
    allowed: 404,
    path: '/api/admin/keys/none/retire',
  },
  { route: 'GET /api/admin/backups', may: admins, allowed: 200 },
  { route: 'POST /api/admin/backups', may: admins, allowed: 404 },
  { route: 'GET /api/admin/mail', may: admins, allowed: 200 },
  { route: 'POST /api/admin/mail/test', may: admins, allowed: 400, json: {} },
  {
    route: 'POST /api/admin/mail/:id/resend',
    may: admins,
    allowed: 404,
    path: '/api/admin/mail/none/resend',
  },
  { route: 'DELETE /api/admin/mail/:id', may: admins, allowed: 404, path: '/api/admin/mail/none' },
  ...['GET', 'PUT', 'DELETE'].map((method) => ({
    route: `${method} /api/admin/accounts/:username`,
    may: admins,
    allowed: 404,
    path: '/api/admin/accounts/nobody',
    ...(method === 'PUT' && { json: {} }),
  })),
  {
    route: 'DELETE /api/admin/accounts/:username/second-factor',
    may: admins,
    allowed: 404,
    path: '/api/admin/accounts/nobody/second-factor',
  },
  { route: 'POST /api/admin/import/accounts', may: admins, allowed: 400, json: {} },
  { route: 'GET /api/admin/export/accounts', may: admins, allowed: 200 },
  {
    route: 'POST /api/admin/accounts/:username/password',
    may: admins,
    allowed: 404,
    path: '/api/admin/accounts/nobody/password',
  },
  ...['GET', 'DELETE'].map((method) => ({
    route: `${method} /api/admin/accounts/:username/sessions`,
    may: admins,
    allowed: 404,
    path: '/api/admin/accounts/nobody/sessions',
  })),
  ...[
    'GET /api/admin/accounts/:username/details',
    'GET /api/admin/accounts/:username/identities',
    'DELETE /api/admin/accounts/:username/identities/:id',
  ].map((route) => ({
    route,
    may: admins,
    allowed: 404,
    path: route.replace(/^\w+ /, '').replace(':username', 'nobody').replace(':id', '1'),
  })),
  ...['GET', 'DELETE'].map((method) => ({
    route: `${method} /api/admin/accounts/:username/email`,
    may: admins,
    allowed: 404,
    path: '/api/admin/accounts/nobody/email',
  })),
  { route: 'POST /api/admin/tokens/revoke', may: admins, allowed: 400, json: {} },
  {
    route: 'GET /api/admin/explain/:id',
    may: admins,
    allowed: 404,
    path: '/api/admin/explain/none',
  },
  { route: 'POST /api/admin/explain', may: admins, allowed: 200, json: { token: 'none' } },
  { route: 'GET /api/admin/throttle', may: admins, allowed: 200 },
  {
    route: 'DELETE /api/admin/throttle/:username',
    may: admins,
    allowed: 200,
    path: '/api/admin/throttle/nobody',
  },
  {
    route: 'DELETE /api/admin/throttle/addresses/:address',
    may: admins,
    allowed: 200,
    path: '/api/admin/throttle/addresses/192.0.2.1',
  },
  { route: 'GET /api/admin/statistics', may: admins, allowed: 200 },
  { route: 'GET /api/admin/statistics/series', may: admins, allowed: 200 },
  { route: 'GET /api/admin/status', may: admins, allowed: 200 },
  { route: 'GET /api/admin/settings', may: admins, allowed: 200 },
  { route: 'GET /api/admin/doctor', may: admins, allowed: 200 },
  { route: 'GET /api/admin/audit', may: admins, allowed: 200 },
  { route: 'GET /metrics', may: admins, allowed: 200 },
  { route: 'GET /api/openapi.json', may: 'anyone', allowed: 200 },
  { route: 'GET /api/docs', may: 'anyone', allowed: 200 },
  { route: 'GET /', may: 'anyone', allowed: 200 },
  { route: 'POST /language', may: 'anyone', allowed: 303, json: {} },
  { route: 'GET /.well-known/change-password', may: 'anyone', allowed: 303 },
  // Without what a proxy tells: test/spec/forward.test.ts has the answers to one.
  ...['GET /api/authz/forward', '* /api/authz/forward', '* /api/authz/forward/*'].map(
    (route): Row => ({ route, may: 'anyone', allowed: 400 }),
  ),
  // No logo and no colour are set here.
  ...['', '/.gatehouse'].map(
    (prefix): Row => ({
      route: `GET ${prefix}/look/:version/:file`,
      may: 'anyone',
      allowed: 404,
      path: `${prefix}/look/0/look.css`,
    }),
  ),
  // Without what a proxy tells of a host: test/attacks/forward-hosts.test.ts has the rest.
  { route: 'GET /.gatehouse/enter', may: 'anyone', allowed: 400, withoutHead: true },
  { route: 'GET /.gatehouse/signout', may: 'anyone', allowed: 303 },
  ...['/admin', '/admin/*'].map(
    (path): Row => ({ route: `GET ${path}`, may: editors, allowed: 200, schemes: ['session'] }),
  ),
  { route: 'GET /signin/application', may: 'anyone', allowed: 303, withoutHead: true },
  ...['/assets/style.css', '/.gatehouse/assets/style.css', '/assets/docs/reference.css'].map(
    (file): Row => ({
      route: `GET ${file.replace(/[^/]+$/, ':version/:file')}`,
      may: 'anyone',
      allowed: 200,
      path: file.replace(/(?=[^/]+$)/, '0/'),
    }),
  ),
  ...(
    [
      ['public', 'anyone'],
      ['admin', admins],
      ['editor', editors],
      ['user', ['user', 'owner']],
    ] as const
  ).flatMap(([group, may]): Row[] => [
    { route: `* /api/${group}`, may, allowed: 404 },
    { route: `* /api/${group}/*`, may, allowed: 404, path: `/api/${group}/no/such` },
  ]),
]

const rolesOf = {
  plain: [],
  user: ['USER'],
  editor: ['EDITOR'],
  admin: ['ADMIN'],
  owner: ['USER'],
} as const satisfies Record<string, readonly Role[]>

/** The names that docs/access.txt has for them; `plain` has no role and is not in it. */
const inMatrix = {
  anonymous: 'anonymous',
  user: 'USER',
  editor: 'EDITOR',
  admin: 'ADMIN',
  owner: 'owner',
} as const

suite('T77: every route, every caller, every scheme, over HTTP', async () => {
  // POST /login is asked more often than its limits allow, and nothing of it is to be counted.
  const app = await testApp({ LOGIN_ATTEMPTS: '0', LOGIN_ADDRESS_ATTEMPTS: '0' })
  const { url } = await app.listen()
  const ask = async (method: string, path: string, headers: Headers, json?: unknown) => {
    const typed = json === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: { ...typed, ...headers },
      ...(json !== undefined && method !== 'GET' && { body: JSON.stringify(json) }),
    })
    return { status: answer.status, text: await answer.text() }
  }
  const someone = {} as Record<(typeof callers)[number], Someone>
  const proof = {} as Record<(typeof callers)[number], Record<Scheme, Headers>>
  for (const caller of callers) {
    const account = await app.account(`${caller}s`, rolesOf[caller])
    someone[caller] = account
    proof[caller] = {
      basic: app.basic(account),
      session: await app.session(account),
      bearer: await app.bearer(account),
    }
  }
  await seedPosts(app, 1, { authorId: someone.owner.userId })
  const pathOf = ({ route, path }: Row) =>
    (path ?? route.split(' ')[1] ?? '').replace('{owner}', String(someone.owner.userId))
  const jsonOf = (row: Row, headers: Headers, { password }: Someone) => {
    const { json, hasCsrfField, isProven } = row
    if (isProven) return { ...(json as object), current_password: password }
    return hasCsrfField ? { ...(json as object), csrf_token: headers['x-csrf-token'] } : json
  }
  const methodsOf = ({ route, withoutHead }: Row) => {
    const method = route.split(' ')[0] ?? ''
    if (method === '*') return ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']
    return method === 'GET' && !withoutHead ? ['GET', 'HEAD'] : [method]
  }

  test('the table of this test names every route of the service, and no other', () => {
    const routes = app.app.routes().map(({ method, url }) => `${method} ${url}`)
    assert.deepEqual(routes.toSorted(), table.map(({ route }) => route).toSorted())
  })

  test('what is printed from the rules (docs/access.txt) is what this table says', () => {
    for (const { method, url: path, statuses } of app.app.routes()) {
      const row = table.find(({ route }) => route === `${method} ${path}`)
      for (const [caller, printed] of Object.entries(inMatrix)) {
        const may = row?.may === 'anyone' || row?.may.includes(caller as Caller) // a key of the list
        const isRefused = /^(401|403)$/.test(statuses[printed])
        assert.equal(!isRefused, may, `${method} ${path} by ${caller}: ${statuses[printed]}`)
        const isUnknown = caller === 'anonymous' || row?.schemes?.length === 0
        if (isRefused) assert.equal(statuses[printed], isUnknown ? '401' : '403')
      }
    }
  })

  for (const row of table) {
    const unauthenticated = row.unauthenticated ?? '{"error":"Authentication required"}'

    test(`${row.route}: nobody`, async () => {
      const begun = row.may === 'anyone' ? ['flows'] : []
      const before = await app.rows(...begun)
      for (const method of methodsOf(row)) {
        const { status, text } = await ask(method, pathOf(row), {}, row.json)
        assert.equal(status, row.may === 'anyone' ? row.allowed : 401, method)
        if (row.may !== 'anyone') assert.equal(text, method === 'HEAD' ? '' : unauthenticated)
      }
      assert.deepEqual(await app.rows(...begun), before)
    })

    for (const caller of callers) {
      test(`${row.route}: ${caller}`, async () => {
        // What these routes are there to write.
        const written = [
          'sessions',
          'session_ends',
          'refusals',
          'throttle_places',
          'revocations',
          'second_factors',
          'flows',
        ]
        if (row.ends) written.push('token_versions')
        const before = await app.rows(...written)
        for (const scheme of schemes) {
          for (const method of methodsOf(row)) {
            const headers = proof[caller][scheme]
            const { status, text } = await ask(
              method,
              pathOf(row),
              headers,
              jsonOf(row, headers, someone[caller]),
            )
            const isKnown = row.may === 'anyone' || (row.schemes?.includes(scheme) ?? true)
            const isAllowed = row.may === 'anyone' || row.may.includes(caller)
            const expected = !isKnown ? 401 : isAllowed ? row.allowed : 403
            assert.equal(status, expected, `${method} by ${scheme}: ${text}`)
            if (method === 'HEAD') assert.equal(text, '')
            else if (!isKnown) assert.equal(text, unauthenticated)
            else if (!isAllowed) assert.equal(text, '{"error":"Access denied"}')
            if (!row.ends) continue
            proof[caller].session = await app.session(someone[caller])
            proof[caller].bearer = await app.bearer(someone[caller])
          }
        }
        assert.deepEqual(await app.rows(...written), before)
      })
    }
  }

  test('routes outside the groups are 404 for everybody, without a challenge', async () => {
    for (const path of ['/nowhere', '/api', '/api/nowhere', '/api/administrator', '/users/1/2']) {
      for (const headers of [{}, proof.plain.basic, proof.admin.bearer]) {
        const answer = await app.call('GET', path, { headers })
        assert.deepEqual([answer.status, answer.body], [404, { error: 'Route not found' }])
        assert.equal(answer.headers['www-authenticate'], undefined)
      }
    }
  })

  test('in production the description of the API is for an ADMIN', async () => {
    const strict = await testApp({
      NODE_ENV: 'production',
      TRUST_PROXY: 'none',
      BASE_URL: 'https://gatehouse.example.org',
    })
    const user = await strict.account('user')
    for (const path of ['/api/openapi.json', '/api/docs']) {
      assert.equal((await strict.call('GET', path)).status, 401)
      assert.equal((await strict.call('GET', path, { headers: strict.basic(user) })).status, 403)
      const headers = strict.basic(strict.admin)
      assert.equal((await strict.call('GET', path, { headers })).status, 200)
    }
    await strict.close()
  })
})

suite('order of checks: 401, 403, 404, 400', async () => {
  const app = await testApp()
  const [ann, bob] = [await app.account('ann'), await app.account('bob')]
  const bearer = {
    ann: await app.bearer(ann),
    bob: await app.bearer(bob),
    admin: await app.bearer(app.admin),
  }
  const bad = '{"name":'
  const own = `/users/${ann.userId}`
  const requests: readonly [string, string, keyof typeof bearer | null, string, number][] = [
    ['PUT', own, null, bad, 401],
    ['PUT', own, 'bob', bad, 403],
    ['PUT', own, 'bob', '{"name":5}', 403],
    ['PUT', own, 'ann', '{"name":5}', 400],
    ['PUT', own, 'ann', bad, 400],
    ['PUT', '/users/424242', null, bad, 401],
    ['PUT', '/users/424242', 'bob', '{"name":5}', 403],
    ['PUT', '/users/424242', 'admin', '{"name":5}', 404],
    ['PUT', '/users/x', 'bob', '{"name":5}', 403],
    ['PUT', '/users/x', 'admin', '[]', 404],
    ['POST', '/users', null, bad, 401],
    ['POST', '/users', 'ann', bad, 403],
    ['POST', '/users', 'admin', bad, 400],
    ['DELETE', '/users/424242', null, '', 401],
    ['DELETE', '/users/424242', 'ann', '', 403],
    ['DELETE', '/users/424242', 'admin', '', 404],
    ['GET', '/users/424242', null, '', 401],
    ['PUT', '/api/admin/accounts/nobody', null, bad, 401],
    ['PUT', '/api/admin/accounts/nobody', 'ann', bad, 403],
    ['PUT', '/api/admin/accounts/nobody', 'admin', '{"locked":5}', 404],
    ['PUT', '/api/admin/accounts/ann', 'admin', '{"locked":5}', 400],
    ['POST', '/api/admin/accounts', 'ann', bad, 403],
  ]
  for (const [method, path, who, body, status] of requests) {
    test(`${method} ${path} by ${who ?? 'nobody'} with ${body || 'no body'} is ${status}`, async () => {
      const before = await app.rows()
      const headers = { 'content-type': 'application/json', ...(who && bearer[who]) }
      const answer = await app.call(method, path, { headers, body })
      assert.equal(answer.status, status, answer.text)
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('T31: a stranger cannot tell users, accounts and e-mail addresses that exist from others', async () => {
    const asks = [
      ['GET', '/users/1', '/users/424242'],
      ['DELETE', '/users/1', '/users/x'],
      ['PUT', own, '/users/424242'],
      ['GET', '/api/admin/accounts/ann', '/api/admin/accounts/nobody'],
      ['GET', '/api/admin/accounts', '/api/admin/nothing'],
    ] as const
    for (const [method, known, unknown] of asks) {
      for (const headers of [{}, bearer.bob]) {
        if (method === 'GET' && known === '/users/1' && headers === bearer.bob) continue
        const answers = [known, unknown].map((path) => app.call(method, path, { headers }))
        const [one, other] = await Promise.all(answers)
        assert.deepEqual([one?.status, one?.body], [other?.status, other?.body])
      }
    }
    const create = (email: string) => app.call('POST', '/users', { json: { name: 'A', email } })
    const [taken, free] = [await create('someone@example.org'), await create('free@example.org')]
    assert.deepEqual([taken.status, taken.body], [free.status, free.body])
  })
})

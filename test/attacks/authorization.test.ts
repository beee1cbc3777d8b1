import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { isAdministratorsUser } from '../../src/accounts/accounts.ts'
import type { Role } from '../../src/kernel/principal.ts'
import { createUsers } from '../../src/users/users.ts'
import { type Headers, type Someone, testApp } from '../app.ts'
import { seedPosts } from '../posts.ts'
import { assertRefusal } from '../refusal.ts'

/**
 * Who may call what, written down from the specification (4.1 to 4.3, 5) and its decisions, not from
 * the rules in the source. `allowed` is what an admitted caller gets for this very request.
 */
type Caller = 'nobody' | 'plain' | 'user' | 'editor' | 'admin' | 'owner'
type Scheme = 'basic' | 'session' | 'bearer'
interface Row {
  readonly route: string
  readonly may: readonly Caller[] | 'anyone'
  readonly allowed: number
  /** Absent: all three. */
  readonly schemes?: readonly Scheme[]
  readonly path?: string
  readonly json?: unknown
  readonly unauthenticated?: string
  /** A look without a body would use something up. */
  readonly withoutHead?: boolean
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
const noId = '424242' // nobody has this id, and no post

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
    { route: `POST ${base}/totp`, may, allowed: 201 },
    { route: `PUT ${base}/totp`, may, allowed: 400 },
    { route: `DELETE ${base}/totp`, may, allowed: 400 },
    { route: `POST ${base}/recovery-codes`, may, allowed: 400 },
    { route: `GET ${base}`, may, allowed: 200 },
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
  ]),
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
  { route: 'GET /oauth/second-factor', may: 'anyone', allowed: 400, withoutHead: true },
  { route: 'POST /oauth/second-factor', may: 'anyone', allowed: 400, json: {} },
  ...posts4_3,
  { route: 'GET /api/admin/accounts', may: admins, allowed: 200 },
  { route: 'POST /api/admin/accounts', may: admins, allowed: 400, json: {} },
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
  { route: 'POST /api/admin/tokens/revoke', may: admins, allowed: 400, json: {} },
  { route: 'GET /api/admin/throttle', may: admins, allowed: 200 },
  {
    route: 'DELETE /api/admin/throttle/:username',
    may: admins,
    allowed: 200,
    path: '/api/admin/throttle/nobody',
  },
  { route: 'GET /api/admin/statistics', may: admins, allowed: 200 },
  { route: 'GET /api/openapi.json', may: 'anyone', allowed: 200 },
  { route: 'GET /api/docs', may: 'anyone', allowed: 200 },
  { route: 'GET /api/docs/style.css', may: 'anyone', allowed: 200 },
  { route: 'GET /api/docs/icon.svg', may: 'anyone', allowed: 200 },
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
  nobody: 'nobody',
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
        if (isRefused) assert.equal(statuses[printed], caller === 'nobody' ? '401' : '403')
      }
    }
  })

  for (const row of table) {
    const unauthenticated = row.unauthenticated ?? '{"error":"Authentication required"}'

    test(`${row.route}: nobody`, async () => {
      const before = await app.rows()
      for (const method of methodsOf(row)) {
        const { status, text } = await ask(method, pathOf(row), {}, row.json)
        assert.equal(status, row.may === 'anyone' ? row.allowed : 401, method)
        if (row.may !== 'anyone') assert.equal(text, method === 'HEAD' ? '' : unauthenticated)
      }
      assert.deepEqual(await app.rows(), before)
    })

    for (const caller of callers) {
      test(`${row.route}: ${caller}`, async () => {
        // What these routes are there to write.
        const written = ['sessions', 'throttle_places', 'revocations', 'second_factors']
        if (row.ends) written.push('token_versions')
        const before = await app.rows(...written)
        for (const scheme of schemes) {
          for (const method of methodsOf(row)) {
            const headers = proof[caller][scheme]
            const { status, text } = await ask(method, pathOf(row), headers, row.json)
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

type Policy = 'roles' | 'administrators' | 'authenticated' | 'open'
type Operation = 'list' | 'read' | 'update' | 'remove'
type Asker = 'anonymous' | 'plain' | 'user' | 'editor' | 'admin' | 'boss'
/** Whose row: of a user without an account, the caller's, another ADMIN's. */
type Target = 'free' | 'own' | 'ADMIN'

/** The rules of `USERS_POLICY`, told once more. */
function isLetIn(policy: Policy, operation: Operation, asker: Asker, target: Target): boolean {
  const isAdmin = asker === 'admin' || asker === 'boss'
  const isChange = operation === 'update' || operation === 'remove'
  if (isAdmin) return true
  if (policy === 'roles' || policy === 'administrators') {
    if (operation === 'remove') return false
    if (operation === 'update') return target === 'own'
    if (policy === 'roles') return asker === 'user'
    return operation === 'read' && target === 'own'
  }
  if (isChange && target === 'ADMIN') return false
  return policy === 'open' || asker !== 'anonymous'
}

suite('USERS_POLICY: who reads, changes and removes whose row', () => {
  for (const policy of ['roles', 'administrators', 'authenticated', 'open'] as const) {
    test(policy, async () => {
      const app = await testApp({ USERS_POLICY: policy })
      const someone = {
        plain: await app.account('plain', []),
        user: await app.account('user', ['USER']),
        editor: await app.account('editor', ['EDITOR']),
        boss: await app.account('boss', ['ADMIN']),
        admin: app.admin,
      }
      const locked = await app.account('former', ['ADMIN'])
      const admin = app.basic(app.admin)
      await app.call('PUT', '/api/admin/accounts/former', {
        headers: admin,
        json: { locked: true },
      })
      const newUser = async () => {
        const json = { name: 'Free', email: 'free@example.org' }
        return (await app.call('POST', '/users', { headers: admin, json })).body.id
      }
      const rowOf = async (id: number) =>
        app.deps.db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
      let base = 0
      const ask = async (operation: Operation, asker: Asker, target: Target, id: number) => {
        const headers = asker === 'anonymous' ? {} : app.basic(someone[asker])
        base += 1
        const path = `${['', '/api/v1', '/api/v2'][base % 3]}/users`
        const about = `${operation} ${target} by ${asker}`
        const before = await rowOf(id)
        const { status, body } = await {
          list: () => app.call('GET', path, { headers }),
          read: () => app.call('GET', `${path}/${id}`, { headers }),
          update: () => app.call('PUT', `${path}/${id}`, { headers, json: { name: `N${base}` } }),
          remove: () => app.call('DELETE', `${path}/${id}`, { headers }),
        }[operation]()
        if (isLetIn(policy, operation, asker, target)) return assert.equal(status, 200, about)
        const refusal =
          asker === 'anonymous' ? [401, 'Authentication required'] : [403, 'Access denied']
        assert.deepEqual([status, body], [refusal[0], { error: refusal[1] }], about)
        assert.deepEqual(await rowOf(id), before, about)
      }
      const free = await newUser()
      for (const asker of ['anonymous', 'plain', 'user', 'editor', 'admin', 'boss'] as const) {
        await ask('list', asker, 'free', free)
        for (const operation of ['read', 'update'] as const) {
          await ask(operation, asker, 'free', free)
          if (asker !== 'anonymous') await ask(operation, asker, 'own', someone[asker].userId)
          if (asker !== 'boss') await ask(operation, asker, 'ADMIN', someone.boss.userId)
          await ask(operation, asker, 'ADMIN', locked.userId)
        }
        await ask('remove', asker, 'free', await newUser())
        if (asker !== 'admin' && asker !== 'boss') {
          await ask('remove', asker, 'ADMIN', someone.boss.userId)
        }
      }
      for (const asker of ['plain', 'user', 'editor'] as const) {
        await ask('remove', asker, 'own', someone[asker].userId)
      }
      await ask('remove', 'boss', 'own', someone.boss.userId)
      await app.close()
    })
  }

  test('administrators: of a user that is not there a stranger learns nothing', async () => {
    const app = await testApp({ USERS_POLICY: 'administrators' })
    const [user, admin] = [app.basic(await app.account('ann')), app.basic(app.admin)]
    for (const [method, call] of [
      ['GET', {}],
      ['PUT', { json: {} }],
      ['DELETE', {}],
    ] as const) {
      for (const id of ['424242', '0', '-1', 'x', '1e0']) {
        const refused = await app.call(method, `/users/${id}`, { headers: user, ...call })
        assertRefusal(refused, 403, 'Access denied', `${method} ${id}`)
        const unknown = await app.call(method, `/users/${id}`, { headers: admin, ...call })
        assertRefusal(unknown, 404, 'User not found', `${method} ${id}`)
      }
    }
    await app.close()
  })

  test("open: credentials count for an ADMIN's row alone, and then all that is asked of them", async () => {
    const app = await testApp({ USERS_POLICY: 'open' })
    const ann = await app.account('ann')
    const json = { name: 'Changed' }
    const bad = { authorization: 'Bearer nonsense' }
    const put = (id: number, headers: Headers) => app.call('PUT', `/users/${id}`, { headers, json })
    assert.equal((await put(ann.userId, bad)).status, 200)
    assertRefusal(await put(1, bad), 401, 'Invalid or expired token')
    const { cookie, ...proof } = await app.session(app.admin)
    assertRefusal(await put(1, { cookie }), 403, 'CSRF token invalid')
    assert.equal((await put(1, { cookie, ...proof })).status, 200)
    const crossSite = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    const basic = app.basic(app.admin)
    assertRefusal(await put(1, { ...basic, ...crossSite }), 403, 'Access denied')
    // The order of checks: 401 comes before what the body is.
    const unread = await app.call('PUT', '/users/1', { json: { name: 5 } })
    assertRefusal(unread, 401, 'Authentication required')
    await app.close()
  })

  for (const policy of ['authenticated', 'open'] as const) {
    for (const method of ['PUT', 'DELETE'] as const) {
      test(`${policy}: whose user becomes an ADMIN's while ${method} is under way is refused`, async () => {
        const app = await testApp({ USERS_POLICY: policy })
        const [target, plain] = [await app.account('target'), await app.account('plain', [])]
        const row = async () =>
          app.deps.db.selectFrom('users').selectAll().where('id', '=', target.userId).execute()
        const before = await row()
        const promote = () =>
          app.call('PUT', '/api/admin/accounts/target', {
            headers: app.basic(app.admin),
            json: { roles: ['ADMIN'] },
          })
        // Read once the caller was let in.
        async function* late() {
          assert.equal((await promote()).status, 200)
          yield JSON.stringify({ name: 'Taken over' })
        }
        const answer =
          method === 'PUT'
            ? await app.app.server.inject({
                method,
                url: `/users/${target.userId}`,
                headers: {
                  'content-type': 'application/json',
                  ...(policy === 'open' ? {} : app.basic(plain)),
                },
                payload: Readable.from(late()),
              })
            : null
        if (answer) {
          const refusal =
            policy === 'open' ? [401, 'Authentication required'] : [403, 'Access denied']
          assert.deepEqual([answer.statusCode, answer.json()], [refusal[0], { error: refusal[1] }])
        } else {
          const users = createUsers({
            config: app.deps.config,
            db: app.deps.db,
            hooks: { isPrivileged: isAdministratorsUser, removing: [], changed: [] },
          })
          assert.equal(await users.isPrivileged(target.userId), false)
          await promote()
          const assertMay = (privileged: boolean) => assert.equal(privileged, false)
          await assert.rejects(
            users.remove(target.userId, { assertMay }),
            /AssertionError|true !== false/,
          )
        }
        assert.deepEqual(await row(), before)
        await app.close()
      })
    }
  }
})

suite('USERS_POLICY', async () => {
  const answers = {
    authenticated: { nobody: 401, plain: [200, 201, 200, 200] },
    open: { nobody: [200, 201, 200, 200], plain: [200, 201, 200, 200] },
  } as const
  for (const [policy, expected] of Object.entries(answers)) {
    test(`${policy}: list, create, update and delete`, async () => {
      const app = await testApp({ USERS_POLICY: policy })
      const plain = app.basic(await app.account('plain', []))
      const json = { name: 'A', email: 'a@example.org' }
      for (const [who, headers] of [
        ['nobody', {}],
        ['plain', plain],
      ] as const) {
        for (const base of ['', '/api/v1', '/api/v2']) {
          const made = await app.call('POST', `${base}/users`, { headers, json })
          const path = `${base}/users/${made.body.id ?? 2}`
          const statuses = [
            (await app.call('GET', `${base}/users`, { headers })).status,
            made.status,
            (await app.call('PUT', path, { headers, json })).status,
            (await app.call('DELETE', path, { headers })).status,
          ]
          assert.deepEqual(
            statuses,
            [expected[who]].flat().length === 1 ? Array(4).fill(401) : expected[who],
          )
        }
      }
      const last = await app.call('DELETE', '/users/1', { headers: app.basic(app.admin) })
      assert.deepEqual([last.status, last.body], [409, { error: 'Last administrator' }])
      await app.close()
    })
  }
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { asClient } from '../clients.ts'
import type { Caller, Made } from '../example.ts'
import {
  allRoutes,
  exampleSettings,
  nobody,
  requestOf,
  type ShownRoute,
  shownRoutes,
  worldOf,
} from '../examples.ts'
import { seedPosts } from '../posts.ts'

const names = ['nobody', 'plain', 'user', 'editor', 'admin', 'owner', 'client'] as const
type Who = (typeof names)[number]

/** The names that docs/access.txt has for them. */
const inAccess = {
  nobody: 'anonymous',
  user: 'USER',
  editor: 'EDITOR',
  admin: 'ADMIN',
  owner: 'owner',
  client: 'client',
} as const

/** What no request of these may change: all tables but those that requests are there to write. */
const written = [
  ...['flows', 'refusals', 'revocations', 'second_factors', 'session_ends', 'sessions'],
  'throttle_places',
]

/** The answer to a caller without a proof, where the answer differs from spec section 7. */
const unauthenticated: Record<string, string> = {
  'POST /api/transfer': '',
  'GET /api/me': '{"error":"No token provided"}',
  'POST /oauth/introspect': '{"error":"invalid_client"}',
  'POST /oauth/revoke': '{"error":"invalid_client"}',
}

/**
 * Who may call what, written down from the specification (4.1 to 4.3, 5), not from the rules in the
 * source. The routes of extras, and what else is decided, stand in docs/access.txt.
 */
const anyone = 'nobody plain user editor admin owner'
const authenticated = 'plain user editor admin owner'
const ofSpec: Record<string, string> = {
  'GET /health/live': anyone,
  'GET /health/ready': anyone,
  'GET /api/public/status': anyone,
  'POST /login': anyone,
  'POST /logout': anyone,
  'POST /refresh': anyone,
  'GET /api/protected': authenticated,
  'POST /api/transfer': authenticated,
  'GET /api/me': authenticated,
  ...Object.assign(
    {},
    ...['', '/api/v1', '/api/v2'].map((base) => ({
      [`GET ${base}/users`]: 'user admin owner',
      [`GET ${base}/users/:id`]: 'user admin owner',
      [`POST ${base}/users`]: 'admin',
      [`PUT ${base}/users/:id`]: 'admin owner',
      [`DELETE ${base}/users/:id`]: 'admin',
    })),
  ),
  'GET /api/posts': 'user editor admin owner',
  'GET /api/posts/:id': 'user editor admin owner',
  'POST /api/posts': 'editor admin',
  'PUT /api/posts/:id': 'admin owner',
  'DELETE /api/posts/:id': 'admin',
  'GET /api/editor/posts': 'editor admin',
  'PUT /api/admin/posts/:id/lock': 'admin',
  'DELETE /api/admin/posts/:id/lock': 'admin',
  'GET /api/account': authenticated,
  'GET /api/user/account': 'user owner',
  'GET /api/admin/accounts': 'admin',
  ...Object.fromEntries(['', '/*'].map((rest) => [`* /api/public${rest}`, anyone])),
  ...Object.fromEntries(['', '/*'].map((rest) => [`* /api/admin${rest}`, 'admin'])),
  ...Object.fromEntries(['', '/*'].map((rest) => [`* /api/editor${rest}`, 'editor admin'])),
  ...Object.fromEntries(['', '/*'].map((rest) => [`* /api/user${rest}`, 'user owner'])),
}

/** The status of a valid request, of something that is not locked, as docs/access.txt prints it. */
function statusFor(
  { rule, statuses, success }: Pick<ShownRoute, 'rule' | 'statuses' | 'success'>,
  who: Who,
): string {
  // `plain` has no role and is not in the file.
  if (who === 'plain') return /^(anyone|authenticated)$/.test(rule) ? success : '403'
  return statuses[inAccess[who]].split('/')[0] ?? ''
}

/** A request without fields, about what does not exist; null if it is the valid one. */
function bareOf({
  url,
  body,
  success,
  example,
}: ShownRoute): { made: Made; status: string } | null {
  const hasBody = ['json', 'form', 'parameters', 'lines'].includes(body)
  const hasNames = url.includes('/:')
  if (example.bare === null) return null
  if (!hasBody && !hasNames && !example.needs && example.bare === undefined) return null
  const params = Object.fromEntries(
    [...url.matchAll(/:(\w+)/g)].map(([, name]) => [name, '424242']),
  )
  const fields = hasBody && (body === 'json' || body === 'lines' ? { json: {} } : { form: {} })
  const status = example.bare ?? (hasNames ? 404 : hasBody ? 400 : success)
  return { made: { params, ...fields }, status: String(status) }
}

suite('T77: every route, every caller, every scheme, over HTTP', async () => {
  const app = await testApp({
    ...(await exampleSettings()),
    REAUTHENTICATE_SECONDS: '86400', // time moves on between two mails to one address
  })
  const { url } = await app.listen()
  const world = await worldOf(app)
  const { owner } = world
  const routes = shownRoutes(app)
  const all = allRoutes(app)
  const people = {
    owner,
    plain: await app.account('plains', []),
    user: await app.account('users'),
    editor: await app.account('editors', ['EDITOR']),
    admin: await app.account('admins', ['ADMIN']),
  }
  const proofs: Record<Who, Record<string, Headers>> = {
    nobody: { any: {} },
    client: { client: asClient('shop') },
    ...{ owner: {}, plain: {}, user: {}, editor: {}, admin: {} },
  }
  const callerBy = (name: Who, scheme: string): Caller => ({
    who: name === 'nobody' || name === 'client' ? nobody.who : people[name],
    headers: proofs[name][scheme] ?? assert.fail(`${name} by ${scheme}`),
  })
  async function logIn(name: Who): Promise<void> {
    if (name === 'nobody' || name === 'client') return
    const one = people[name]
    const [session, bearer] = [await app.session(one), await app.bearer(one)]
    proofs[name] = { basic: app.basic(one), session, bearer }
  }
  /** Logs everyone in again before logins end: time moves on between two mails to one address. */
  async function keepLoggedIn(): Promise<void> {
    if (app.clock.now() - loggedIn < 600_000) return
    for (const name of names) await logIn(name)
    loggedIn = app.clock.now()
  }
  let loggedIn = Number.NEGATIVE_INFINITY

  async function ask(
    route: Pick<ShownRoute, 'method' | 'url'>,
    made: Made,
    caller: Caller,
    by?: string,
  ) {
    const { method, path, headers, body } = requestOf(route, made, caller)
    const isRead = method === 'GET' || by === 'HEAD'
    const answer = await fetch(`${url}${path}`, {
      method: by ?? method,
      redirect: 'manual',
      headers,
      ...(body !== undefined && !isRead && { body }),
    })
    return { status: String(answer.status), text: await answer.text() }
  }
  const methodsOf = ({ method, url }: ShownRoute) => {
    if (method === '*') return ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH']
    return method === 'GET' && app.app.server.hasRoute({ method: 'HEAD', url })
      ? ['GET', 'HEAD']
      : [method]
  }

  /** Sends it by all methods of the route, and compares status and text. */
  async function expect(
    route: ShownRoute,
    made: Made,
    caller: Caller,
    expected: { readonly status: string; readonly text?: string },
  ): Promise<void> {
    for (const method of methodsOf(route)) {
      const { status, text } = await ask(route, made, caller, method)
      assert.equal(status, expected.status, `${method} ${text}`)
      if (method === 'HEAD') assert.equal(text, '')
      else if (expected.text !== undefined) assert.equal(text, expected.text)
    }
  }

  test('what is printed from the rules (docs/access.txt) is what the specification says', () => {
    for (const [name, may] of Object.entries(ofSpec)) {
      const route = all.find((one) => one.name === name) ?? assert.fail(name)
      for (const who of names) {
        const isRefused = /^40[13]$/.test(statusFor(route, who))
        // The specification knows no clients.
        if (who !== 'client')
          assert.equal(!isRefused, may.split(' ').includes(who), `${name} ${who}`)
      }
    }
  })

  for (const route of routes) {
    const { name, example } = route
    const isOpen = route.schemes === '-'
    const refusal = {
      401: unauthenticated[name] ?? '{"error":"Authentication required"}',
      403: '{"error":"Access denied"}',
    }
    const bare = bareOf(route)
    const requestBy = async (caller: Caller): Promise<Made> =>
      example.needs ? (bare?.made ?? {}) : ((await example.make?.(world, caller)) ?? {})
    /** A refused request uses nothing up: one is enough for all. */
    let refusedRequest: Made | undefined

    for (const who of names) {
      test(`${name}: ${who}`, async () => {
        await keepLoggedIn()
        // Later logins of this test are at the same time.
        if (example.ends) await logIn(who)
        const tables = example.ends ? [...written, 'token_versions', 'webhook_events'] : written
        const judged = Object.keys(proofs[who]).map((scheme) => {
          const isKnown = isOpen || who === 'nobody' || route.schemes.split(',').includes(scheme)
          return { scheme, status: isKnown ? statusFor(route, who) : '401' }
        })
        const { refused = [], admitted = [] } = Object.groupBy(judged, ({ status }) =>
          !isOpen && /^40[13]$/.test(status) ? 'refused' : 'admitted',
        )
        if (refused.length > 0) refusedRequest ??= await requestBy(callerBy('owner', 'basic'))
        const rows = () => (bare || refused.length > 0 ? app.rows(...tables) : {})
        const before = await rows()
        for (const { scheme, status } of refused) {
          const text = refusal[status as '401']
          await expect(route, refusedRequest ?? {}, callerBy(who, scheme), { status, text })
        }
        // A row that does not exist has no owner.
        const isOfOwner = /\bowner\b/.test(route.rule) && who === 'owner'
        for (const { scheme } of bare && !isOfOwner ? admitted : []) {
          await expect(route, bare?.made ?? {}, callerBy(who, scheme), bare ?? { status: '' })
          if (example.ends) await logIn(who)
        }
        assert.deepEqual(await rows(), before)
        if (example.needs) return
        for (const { scheme, status } of admitted) {
          const caller = callerBy(who, scheme)
          await expect(route, await requestBy(caller), caller, { status })
          if (example.ends) await logIn(who)
        }
      })
    }
  }

  test('PUT /api/posts/:id of a locked post: the second status of ADMIN, and the owner as before', async () => {
    const [id = 0] = await seedPosts(app, 1, { authorId: owner.userId, locked: true })
    const route = all.find(({ name }) => name === 'PUT /api/posts/:id') ?? assert.fail()
    for (const name of ['user', 'editor', 'admin', 'owner'] as const) {
      for (const scheme of Object.keys(proofs[name])) {
        const caller = callerBy(name, scheme)
        const { status } = await ask(route, { params: { id }, json: { title: 'C' } }, caller)
        const expected = route.statuses[inAccess[name]].split('/').at(-1)
        assert.equal(status, expected, `${name} by ${scheme}`)
      }
    }
  })

  test('routes outside the groups are 404 for everybody, without a challenge', async () => {
    for (const path of ['/nowhere', '/api', '/api/nowhere', '/api/administrator', '/users/1/2']) {
      for (const headers of [
        {},
        callerBy('plain', 'basic').headers,
        callerBy('admin', 'bearer').headers,
      ]) {
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

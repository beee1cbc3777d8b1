import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, passwordOf, type Someone, testApp } from '../app.ts'
import {
  allRoutes,
  exampleSettings,
  newCaller,
  type ShownRoute,
  send,
  shownRoutes,
  worldOf,
} from '../examples.ts'
import { clockOfToday } from '../identity-provider.ts'
import { verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'
import { line, ndjson } from '../transfer.ts'

/** A request that changes something, and what a recent login gets for it. */
interface Attempt {
  readonly route: string
  readonly what?: string
  /** `{boss}`: another ADMIN; `{ann}`: a USER; an invitation by the role that it gives. */
  readonly path?: string
  readonly json?: unknown
  readonly lines?: string
  readonly status: number
}

const accounts = '/api/admin/accounts'
const one = `${accounts}/:username`
const [own, ownAsUser] = ['/api/account', '/api/user/account']
const invitations = '/api/admin/invitations'
const newName = { name: 'New', email: 'new@example.org' }
const fresh = { username: 'fresh', password: passwordOf('fresh'), ...newName }

/** Takes an account over, or loses an administrator, only where these are changed. */
const recent: readonly Attempt[] = [
  {
    route: `DELETE ${own}/sessions/:id`,
    what: 'another one',
    path: `${own}/sessions/none`,
    status: 404,
  },
  {
    route: `DELETE ${ownAsUser}/sessions/:id`,
    what: 'another one',
    path: `${ownAsUser}/sessions/none`,
    status: 404,
  },
  ...[
    ['password', '{ann}', { password: 'another phrase, 1887' }],
    ['role ADMIN given', '{ann}', { roles: ['USER', 'ADMIN'] }],
    ['role ADMIN taken', '{boss}', { roles: ['USER'] }],
    ['all roles of an ADMIN taken', '{boss}', { roles: [] }],
    ['lock of an ADMIN', '{boss}', { locked: true }],
    ['an ADMIN disabled', '{boss}', { active: false }],
  ].map(([what, name, json]) => ({
    route: `PUT ${one}`,
    what: String(what),
    path: `${accounts}/${name}`,
    json,
    status: 200,
  })),
  { route: `DELETE ${one}`, what: 'of an ADMIN', path: `${accounts}/{boss}`, status: 200 },
  {
    route: `POST ${accounts}`,
    what: 'an ADMIN',
    json: { ...fresh, roles: ['ADMIN'] },
    status: 201,
  },
  {
    route: `POST ${invitations}`,
    what: 'to an ADMIN',
    json: { email: 'new@example.org', roles: ['ADMIN'] },
    status: 201,
  },
  {
    route: `POST ${invitations}/:id/resend`,
    what: 'to an ADMIN',
    path: `${invitations}/{ADMIN}/resend`,
    status: 200,
  },
  {
    route: 'POST /api/admin/import/accounts',
    what: 'with an ADMIN',
    lines: ndjson([line('imported', { roles: ['ADMIN'] })]),
    status: 200,
  },
]

/** Does neither: an old login is as good as a recent one. */
const anyLogin: readonly Attempt[] = [
  ...[own, ownAsUser].map((base) => ({
    route: `DELETE ${base}/sessions/:id`,
    what: 'that of the request',
    path: `${base}/sessions/{own}`,
    status: 200,
  })),
  ...[{ roles: ['EDITOR'] }, { locked: true }, { active: false }, { must_change: true }].map(
    (json) => ({
      route: `PUT ${one}`,
      what: Object.keys(json).join(),
      path: `${accounts}/{ann}`,
      json,
      status: 200,
    }),
  ),
  {
    route: `PUT ${one}`,
    what: 'EDITOR too',
    path: `${accounts}/{boss}`,
    json: { roles: ['ADMIN', 'EDITOR'] },
    status: 200,
  },
  {
    route: `PUT ${one}`,
    what: 'as it is',
    path: `${accounts}/{boss}`,
    json: { roles: ['ROLE_ADMIN'], locked: false, active: true },
    status: 200,
  },
  { route: `DELETE ${one}`, what: 'of a USER', path: `${accounts}/{ann}`, status: 200 },
  { route: `POST ${accounts}`, what: 'a USER', json: { ...fresh, roles: ['USER'] }, status: 201 },
  {
    route: `POST ${invitations}`,
    what: 'to a USER',
    json: { email: 'new@example.org', roles: ['USER'] },
    status: 201,
  },
  {
    route: `POST ${invitations}/:id/resend`,
    what: 'to a USER',
    path: `${invitations}/{USER}/resend`,
    status: 200,
  },
  {
    route: 'POST /api/admin/import/accounts',
    what: 'with a USER',
    lines: ndjson([line('imported')]),
    status: 200,
  },
]

suite('what takes an account over or loses an administrator wants a recent login', async () => {
  const app = await testApp(await exampleSettings(), { clock: clockOfToday() })
  const world = await worldOf(app)
  /** New accounts for each attempt; the caller is the owner of what is below /account. */
  async function place() {
    for (const username of ['ann', 'boss', 'fresh', 'imported']) {
      await app.deps.db
        .deleteFrom('users')
        .where('id', 'in', (eb) =>
          eb.selectFrom('accounts').select('user_id').where('username', '=', username),
        )
        .execute()
    }
    await app.deps.db.deleteFrom('invitations').execute()
    const ann = await app.account('ann', ['USER', 'EDITOR'])
    await verifyAddress(app, ann, 'ann@example.org')
    return { ann, boss: await app.account('boss', ['ADMIN']) }
  }
  /** Fills in the names of a path; an invitation is made for the attempt that names one. */
  async function pathOf({ path, route }: Attempt): Promise<string> {
    const [, role] = path?.match(/invitations\/\{(\w+)\}/) ?? []
    if (path === undefined || role === undefined) {
      return (path ?? route.split(' ')[1] ?? '').replace(/[{}]/g, '')
    }
    const headers = await app.bearer(app.admin)
    const json = { email: 'invited@example.org', roles: [role] }
    const { body } = await app.call('POST', invitations, { headers, json })
    return path.replace(`{${role}}`, String(body.id))
  }
  async function pathOfOwnSession({ path = '' }: Attempt, headers: Headers): Promise<string> {
    const { body } = await app.call('GET', '/api/account/sessions', { headers })
    return path.replace('{own}', body.find(({ current }: { current: boolean }) => current).id)
  }
  const sendAttempt = (attempt: Attempt, path: string, headers: Headers) => {
    const [method = ''] = attempt.route.split(' ')
    if (attempt.lines === undefined) {
      return app.call(method, path, { headers, ...('json' in attempt && { json: attempt.json }) })
    }
    const type = { 'content-type': 'application/x-ndjson' }
    return app.call(method, path, { headers: { ...headers, ...type }, body: attempt.lines })
  }
  const callerOf = ({ route }: Attempt, ann: Someone) =>
    / \/api\/(user\/)?account(\/|$)/.test(route) ? ann : app.admin

  for (const attempt of recent) {
    test(`${attempt.route} ${attempt.what ?? ''}`.trim(), async () => {
      const { ann } = await place()
      const caller = callerOf(attempt, ann)
      const path = await pathOf(attempt)
      const old = await app.bearer(caller)
      app.clock.advance(900.001)
      const before = await app.rows()
      assertRefusal(await sendAttempt(attempt, path, old), 401, 'Recent login required')
      assert.deepEqual(await app.rows(), before)
      const answer = await sendAttempt(attempt, path, await app.bearer(caller))
      assert.equal(answer.status, attempt.status, JSON.stringify(answer.body))
      // There is no second factor: its code is wrong, however recent the login.
      if (answer.status === 401) assertRefusal(answer, 401, 'Invalid credentials')
    })
  }

  for (const attempt of anyLogin) {
    test(`${attempt.route} ${attempt.what ?? ''}: any login`, async () => {
      const { ann } = await place()
      const isOwnSession = attempt.path?.includes('{own}')
      const caller = callerOf(attempt, ann)
      const old = isOwnSession ? await app.session(caller) : await app.bearer(caller)
      const path = isOwnSession ? await pathOfOwnSession(attempt, old) : await pathOf(attempt)
      app.clock.advance(900.001)
      const answer = await sendAttempt(attempt, path, old)
      assert.equal(answer.status, attempt.status, JSON.stringify(answer.body))
    })
  }

  // Where the table above makes no difference, docs/routes.txt holds.
  const changing = shownRoutes(app)
    .filter(({ url }) => /^\/api\/(admin|account|user\/account)(\/|$)/.test(url))
    // Of the reads, only the export of personal data is as sensitive as a change.
    .filter(({ name }) => !/^(GET|\*) /.test(name) || name.endsWith('account/export'))

  for (const route of changing.filter(({ reauthentication }) => reauthentication === 'always')) {
    test(`${route.name}: a recent login`, async () => {
      const { caller, made, again } = await sentLate(route)
      const before = await app.rows()
      assertRefusal(await send(app, route, made, caller), 401, 'Recent login required')
      assert.deepEqual(await app.rows(), before)
      // An answer of a passkey is for the session or token that asked for it.
      const isBound = route.url.includes('/passkeys')
      const own = isBound ? await route.example.make?.(world, { ...caller, ...again }) : made
      const answer = await send(app, route, own ?? {}, again)
      assert.equal(String(answer.status), route.success, answer.text)
    })
  }

  for (const route of changing.filter(({ reauthentication }) => !reauthentication)) {
    test(`${route.name}: any login`, async () => {
      const { caller, made } = await sentLate(route)
      const answer = await send(app, route, made, caller)
      assert.equal(String(answer.status), route.success, answer.text)
    })
  }

  /** A valid request by a caller whose login is old, and by the same person with a new one. */
  async function sentLate(route: ShownRoute) {
    const { make, needs } = route.example
    const caller = await newCaller(world, 'bearer', needs === 'factor')
    app.clock.advance(900.001)
    const made = (await make?.(world, caller)) ?? {}
    const recovery_code = caller.device?.recoveryCodes.pop()
    const { username, password } = caller.who
    const json = { username, password, mode: 'token', recovery_code }
    const { body } = await app.call('POST', '/login', { json })
    return { caller, made, again: { headers: { authorization: `Bearer ${body.token}` } } }
  }

  for (const route of shownRoutes(app).filter(({ url }) => /^\/account(\/|$)/.test(url))) {
    const { name, method, url: path } = route
    const isRecent = route.reauthentication === 'always'
    test(`the page ${name}: ${isRecent ? 'a recent' : 'any'} login`, async () => {
      const { ann } = await place()
      const old = await app.session(ann)
      app.clock.advance(900.001)
      const form = method === 'POST' && { form: { csrf_token: old['x-csrf-token'] ?? '' } }
      const before = await app.rows()
      const accept = 'text/html,*/*;q=0.8'
      const headers = { cookie: old.cookie ?? '', accept }
      const { status, headers: sent } = await app.call(method, path, { headers, ...form })
      const [begin = '', query = ''] = String(sent.location ?? '').split('?')
      const isSent = begin === '/signin' && new URLSearchParams(query).get('again') === '1'
      assert.equal(isSent, isRecent, `${status} ${sent.location}`)
      if (!isRecent) return
      assert.equal(status, 303)
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('what depends on the change (docs/routes.txt) stands in both tables above', () => {
    const conditional = allRoutes(app).filter(
      ({ reauthentication }) => reauthentication === 'conditional',
    )
    const names = conditional.map(({ name }) => name).toSorted()
    for (const table of [recent, anyLogin]) {
      assert.deepEqual([...new Set(table.map(({ route }) => route))].toSorted(), names)
    }
  })

  test('the own password is not set through the administration, however recent the login', async () => {
    const { boss } = await place()
    const headers = await app.bearer(boss)
    const password = 'another phrase, 1887'
    const before = await app.rows()
    for (const [name, json] of [
      ['boss', { password }],
      ['BOSS', { password }],
      ['boss', { active: false, password }],
      ['%20boss', { password, roles: ['ADMIN'], must_change: true }],
    ] as const) {
      assertRefusal(
        await app.call('PUT', `${accounts}/${name}`, { headers, json }),
        403,
        'Access denied',
      )
    }
    assertRefusal(
      await app.call('POST', `${accounts}/boss/password`, { headers }),
      403,
      'Access denied',
    )
    assert.deepEqual(await app.rows(), before)
    const other = await app.call('PUT', `${accounts}/boss`, {
      headers,
      json: { must_change: false },
    })
    assert.equal(other.status, 200)
  })
})

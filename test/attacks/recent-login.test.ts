import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, passwordOf, type Someone, testApp } from '../app.ts'
import { byItself } from '../copies.ts'
import { verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'
import { line, ndjson } from '../transfer.ts'
import { newWebhook, webhooks } from '../webhooks.ts'

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
const invitations = '/api/admin/invitations'
const newName = { name: 'New', email: 'new@example.org' }
const fresh = { username: 'fresh', password: passwordOf('fresh'), ...newName }

/** The proof of the person who sends these requests. */
const present = { current_password: passwordOf('ann') }

/** The pages of the own account that only a session opens. */
const pages: readonly (readonly [method: string, path: string, isRecent: boolean])[] = [
  ['GET', '/account', false],
  ['GET', '/account/confirm', true],
  ['GET', '/account/confirm/leave', true],
  ['POST', '/account/confirm', true],
  ['GET', '/account/data', true],
  ['GET', '/account/delete', true],
  ['POST', '/account/delete', true],
  ['GET', '/account/email', false],
  ['POST', '/account/email', true],
  ['POST', '/account/email/cancel', true],
  ['POST', '/account/email/confirm', false],
  ['POST', '/account/language', false],
  ['GET', '/account/notices', false],
  ['GET', '/account/password', true],
  ['POST', '/account/password', true],
  ['GET', '/account/providers', false],
  ['GET', '/account/providers/leave', true],
  ['POST', '/account/providers/link', true],
  ['POST', '/account/providers/unlink', true],
  ['GET', '/account/recovery-codes', true],
  ['POST', '/account/recovery-codes', true],
  ['GET', '/account/second-factor', true],
  ['POST', '/account/second-factor/confirm', true],
  ['GET', '/account/second-factor/remove', true],
  ['POST', '/account/second-factor/remove', true],
  ['GET', '/account/second-factor/set-up', true],
  ['POST', '/account/second-factor/set-up', true],
  ['GET', '/account/sessions', false],
  ['POST', '/account/sessions/end', true],
  ['POST', '/account/sessions/end-others', true],
]

/** Takes an account over, or loses an administrator. */
const recent: readonly Attempt[] = [
  ...['/api/account', '/api/user/account'].flatMap((base): Attempt[] => [
    {
      route: `PUT ${base}/password`,
      json: { current_password: passwordOf('ann'), new_password: 'another phrase, 1887' },
      status: 200,
    },
    { route: `POST ${base}/totp`, json: present, status: 201 },
    { route: `PUT ${base}/totp`, json: { totp: '000000' }, status: 401 },
    { route: `DELETE ${base}/totp`, json: { totp: '000000' }, status: 404 },
    { route: `POST ${base}/recovery-codes`, json: { ...present, totp: '000000' }, status: 401 },
    { route: `POST ${base}/identities`, json: { provider: 'none' }, status: 400 },
    { route: `DELETE ${base}/identities/:id`, path: `${base}/identities/1`, status: 404 },
    { route: `PUT ${base}/email`, json: { email: 'other@example.org', ...present }, status: 202 },
    { route: `DELETE ${base}/email`, status: 200 },
    { route: `DELETE ${base}/sessions`, status: 200 },
    { route: `DELETE ${base}/sessions/:id`, path: `${base}/sessions/none`, status: 404 },
    { route: `GET ${base}/export`, status: 200 },
    { route: `DELETE ${base}`, json: { username: 'another' }, status: 400 },
  ]),
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
  { route: `POST ${one}/password`, path: `${accounts}/{ann}/password`, status: 200 },
  { route: `DELETE ${one}/second-factor`, path: `${accounts}/{ann}/second-factor`, status: 200 },
  { route: `POST ${one}/reset`, path: `${accounts}/{ann}/reset`, status: 202 },
  { route: `DELETE ${one}/email`, path: `${accounts}/{ann}/email`, status: 200 },
  { route: `DELETE ${one}/identities/:id`, path: `${accounts}/{ann}/identities/1`, status: 404 },
  { route: `POST ${one}/reset`, path: `${accounts}/{ann}/reset`, json: {}, status: 202 },
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
  { route: 'POST /api/admin/backups', status: 202 },
  { route: 'POST /api/admin/keys/rotate', json: { purpose: 'refresh' }, status: 200 },
  { route: 'POST /api/admin/keys/:kid/retire', path: '/api/admin/keys/none/retire', status: 404 },
  {
    route: `POST ${webhooks}`,
    json: { url: 'https://hooks.example.org/', events: ['*'] },
    status: 201,
  },
  {
    route: `PUT ${webhooks}/:id`,
    path: `${webhooks}/{webhook}`,
    json: { content: 'full' },
    status: 200,
  },
  { route: `DELETE ${webhooks}/:id`, path: `${webhooks}/{webhook}`, status: 200 },
  { route: `POST ${webhooks}/:id/secret`, path: `${webhooks}/{webhook}/secret`, status: 200 },
  {
    route: 'POST /api/admin/import/accounts',
    what: 'with an ADMIN',
    lines: ndjson([line('imported', { roles: ['ADMIN'] })]),
    status: 200,
  },
]

/** Does neither: an old login is as good as a recent one. */
const anyLogin: readonly Attempt[] = [
  { route: 'POST /api/admin/audit/verification', status: 202 },
  ...['/api/account', '/api/user/account'].flatMap((base): Attempt[] => [
    {
      route: `DELETE ${base}/sessions/:id`,
      what: 'that of the request',
      path: `${base}/sessions/{own}`,
      status: 200,
    },
    { route: `PUT ${base}/language`, json: { language: 'de' }, status: 200 },
  ]),
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
  { route: `DELETE ${one}/sessions`, path: `${accounts}/{ann}/sessions`, status: 200 },
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
  { route: 'POST /api/admin/mail/test', json: { address: 'a@example.org' }, status: 202 },
  {
    route: 'POST /api/admin/mail/:id/resend',
    path: '/api/admin/mail/none/resend',
    status: 404,
  },
  { route: 'DELETE /api/admin/mail/:id', path: '/api/admin/mail/none', status: 404 },
  { route: `POST ${webhooks}/:id/test`, path: `${webhooks}/{webhook}/test`, status: 202 },
  {
    route: `POST ${webhooks}/:id/repeat`,
    path: `${webhooks}/{webhook}/repeat`,
    json: {},
    status: 200,
  },
  {
    route: `POST ${webhooks}/deliveries/:id/repeat`,
    path: `${webhooks}/deliveries/424242/repeat`,
    status: 404,
  },
  ...['USER', 'ADMIN'].map((role) => ({
    route: `DELETE ${invitations}/:id`,
    what: `to one ${role}`,
    path: `${invitations}/{${role}}`,
    status: 200,
  })),
  {
    route: 'POST /api/admin/import/accounts',
    what: 'with a USER',
    lines: ndjson([line('imported')]),
    status: 200,
  },
  { route: 'POST /api/admin/tokens/revoke', json: { token: 'none' }, status: 200 },
  { route: 'POST /api/admin/explain', json: { token: 'none' }, status: 200 },
  { route: 'DELETE /api/admin/throttle/:username', path: '/api/admin/throttle/ann', status: 200 },
  {
    route: 'DELETE /api/admin/throttle/addresses/:address',
    path: '/api/admin/throttle/addresses/192.0.2.1',
    status: 200,
  },
  ...['PUT', 'DELETE'].map((method) => ({
    route: `${method} /api/admin/posts/:id/lock`,
    path: '/api/admin/posts/424242/lock',
    status: 404,
  })),
]

suite('what takes an account over or loses an administrator wants a recent login', async () => {
  const app = await testApp({ LOGIN_ADDRESS_ATTEMPTS: '0', ...byItself })
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
    if (path?.includes('{webhook}')) {
      return path.replace('{webhook}', (await newWebhook(app)).id)
    }
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
  const send = (attempt: Attempt, path: string, headers: Headers) => {
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
      assertRefusal(await send(attempt, path, old), 401, 'Recent login required')
      assert.deepEqual(await app.rows(), before)
      const answer = await send(attempt, path, await app.bearer(caller))
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
      const answer = await send(attempt, path, old)
      assert.equal(answer.status, attempt.status, JSON.stringify(answer.body))
    })
  }

  for (const [method, path, isRecent] of pages) {
    test(`the page ${method} ${path}: ${isRecent ? 'a recent' : 'any'} login`, async () => {
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

  test('every page of the own account stands in the list', () => {
    const routes = app.app.routes().filter(({ url }) => /^\/account(\/|$)/.test(url))
    assert.deepEqual(
      pages.map(([method, path]) => `${method} ${path}`).toSorted(),
      routes.map(({ method, url }) => `${method} ${url}`).toSorted(),
    )
  })

  test('every route of the administration and of the own account stands in one of the tables', () => {
    const listed = new Set([...recent, ...anyLogin].map(({ route }) => route))
    const changing = app.app
      .routes()
      .filter(({ url }) => /^\/api\/(admin|account|user\/account)(\/|$)/.test(url))
      .map(({ method, url }) => `${method} ${url}`)
      // Of the reads, that of all personal data is as sensitive as a change.
      .filter((name) => !/^(GET|\*) /.test(name) || name.endsWith('account/export'))
    assert.deepEqual([...listed].toSorted(), changing.toSorted())
  })

  test('what is printed (docs/routes.txt) is what the tables say', () => {
    for (const { method, url, reauthentication = '-' } of app.app.routes()) {
      const asking = recent.filter(({ route }) => route === `${method} ${url}`)
      const isSometimes = anyLogin.some(({ route }) => route === `${method} ${url}`)
      const page = pages.find(([itsMethod, path]) => itsMethod === method && path === url)
      if (page) {
        assert.equal(reauthentication, page[2] ? 'always' : '-', `${method} ${url}`)
        continue
      }
      const expected = asking.length === 0 ? '-' : isSometimes ? 'conditional' : 'always'
      assert.equal(reauthentication, expected, `${method} ${url}`)
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

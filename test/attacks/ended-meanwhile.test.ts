// A database makes a difference: a change waits for locks while its caller ends.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, type Someone, type TestApp, testApp } from '../app.ts'
import { byItself } from '../copies.ts'
import { beginEnrolment, type Device, enrol } from '../factor.ts'
import {
  type HeldRequest,
  holdAtTransaction,
  holdableDatabase,
  holdBody,
} from '../held-requests.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { verifyAddress } from '../mail.ts'
import { seedPosts } from '../posts.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'
import { line, ndjson } from '../transfer.ts'
import { addDeliveries, newWebhook, unheard, webhooks } from '../webhooks.ts'

const idp = await identityProvider()

/** Who asks, with all that some routes want of them. */
interface Caller {
  readonly who: Someone
  readonly headers: Headers
  /** Another session of theirs, and identities. */
  readonly sessionHandle: string
  readonly identityIds: readonly number[]
  /** The first code of an enrolment that waits for it. */
  readonly code: () => string
  readonly device: Device | undefined
}

/** A request that changes something, and is right in all but its moment. */
interface Row {
  readonly path?: (caller: Caller) => string
  readonly json?: (caller: Caller, index: number) => object
  /** Which transaction of the request commits the change: the first; null where none does. */
  readonly at?: number | null
  readonly lines?: (caller: Caller) => string
  /** The caller has a second factor. */
  readonly hasFactor?: true
  /** The session alone opens it. */
  readonly isSessionOnly?: true
}

type When = 'before the change is committed' | 'while the body comes'
const atCommit: When = 'before the change is committed'
const inBody: When = 'while the body comes'

type Scheme = 'basic' | 'session' | 'bearer'

/**
 * How a caller ends, and by which scheme it had come. The mechanism is one for all routes, and what
 * ends a caller is a matter of its scheme: so every route meets every end, and each end the scheme
 * that it is the hardest for, instead of each scheme the same again.
 */
const ends: Record<string, { scheme: Scheme; end: (ending: Ending) => Promise<unknown> }> = {
  'the account is disabled': { scheme: 'session', end: put({ active: false }) },
  'an administrator locks it': { scheme: 'basic', end: put({ locked: true }) },
  'the account is deleted': { scheme: 'bearer', end: ({ admin, name }) => admin('DELETE', name) },
  'the user is deleted': {
    scheme: 'session',
    end: ({ admin, who }) => admin('DELETE', `/users/${who.userId}`),
  },
  'its roles are taken': { scheme: 'session', end: put({ roles: [] }) },
  'its roles are taken from Basic': { scheme: 'basic', end: put({ roles: [] }) },
  'its session ends': { scheme: 'session', end: logout },
  'an administrator ends its logins': {
    scheme: 'bearer',
    end: ({ admin, name }) => admin('DELETE', `${name}/sessions`),
  },
  'its token is revoked': { scheme: 'bearer', end: logout },
  'its password is changed': { scheme: 'basic', end: put({ password: 'a new pass phrase' }) },
}

interface Ending {
  readonly app: TestApp
  readonly who: Someone
  readonly headers: Headers
  /** The account, below /api/admin. */
  readonly name: string
  admin(method: string, path: string, json?: object): Promise<unknown>
}

function put(json: object) {
  return ({ admin, name }: Ending) => admin('PUT', name, json)
}

async function logout({ app, headers }: Pick<Ending, 'app' | 'headers'>): Promise<void> {
  assert.equal((await app.call('POST', '/logout', { headers })).status, 200)
}

const refusals = {
  basic: [401, 'Authentication required'],
  session: [401, 'Authentication required'],
  bearer: [401, 'Invalid or expired token'],
} as const

/** The proof of the person that the changes of the own account want. */
function present({ password }: Someone) {
  return { current_password: password }
}

function each(
  prefixes: readonly string[],
  rowsOf: (prefix: string, index: number) => Record<string, Row>,
): Record<string, Row> {
  return Object.assign({}, ...prefixes.map(rowsOf))
}

suite('a caller that ends while its request is under way', async () => {
  const app = await testApp(
    // Many proofs of one caller wait at once.
    { ...settingsFor(idp), ...byItself, LOGIN_ATTEMPTS: '0', LOGIN_ADDRESS_ATTEMPTS: '0' },
    {
      clock: clockOfToday(),
      ...(await holdableDatabase()),
    },
  )
  const bearer = await app.bearer(app.admin)
  const admin = async (method: string, path: string, json?: object) => {
    const answer = await app.call(method, path, { headers: bearer, json })
    assert.ok(answer.status < 300, `${method} ${path} ${answer.text}`)
    return answer.body
  }
  const users: number[] = []
  for (let made = 0; made < 4; made += 1) {
    users.push((await admin('POST', '/users', { name: 'A', email: 'a@example.org' })).id)
  }
  const [changedUser = 0, ...doomedUsers] = users
  const posts = await seedPosts(app, 4)
  const target = await app.account('target')
  await verifyAddress(app, target, 'target@example.org')
  const { id: ofTarget } = await app.deps.db
    .insertInto('identities')
    .values({ user_id: target.userId, issuer: 'one', subject: 'target', created_at: 0 })
    .returning('id')
    .executeTakeFirstOrThrow()
  await app.account('doomed')
  await verifyAddress(app, await app.account('forgetful'), 'forgetful@example.org')
  const invitations = '/api/admin/invitations'
  const invite = async (email: string): Promise<number> =>
    (await admin('POST', invitations, { email, roles: ['USER'] })).id
  const [kept, revoked] = [await invite('kept@example.org'), await invite('revoked@example.org')]
  const testMail = async (): Promise<string> =>
    (await admin('POST', '/api/admin/mail/test', { address: 'post@example.org' })).id
  const [waiting, doomedMail] = [await testMail(), await testMail()]
  const [webhook, doomedWebhook] = [await newWebhook(app), await newWebhook(app)]
  const [delivery] = await addDeliveries(app, webhook.id, [{}, { state: 'failed' }])
  const rotated = { purpose: 'refresh', at_once: true }
  const { before: replaced } = await admin('POST', '/api/admin/keys/rotate', rotated)
  app.clock.advance(3) // until every node signs with the new key
  const account = (username: string) => `/api/admin/accounts/${username}`

  let callers = 0
  const rows: Record<string, Row> = {
    'POST /api/transfer': { isSessionOnly: true, at: null, json: () => ({}) },
    'POST /api/posts': { json: () => ({ title: 'On doors' }) },
    'PUT /api/posts/:id': { path: () => `/api/posts/${posts[0]}`, json: () => ({ title: 'x' }) },
    'DELETE /api/posts/:id': { path: () => `/api/posts/${posts[1]}` },
    'PUT /api/admin/posts/:id/lock': { path: () => `/api/admin/posts/${posts[2]}/lock` },
    'DELETE /api/admin/posts/:id/lock': { path: () => `/api/admin/posts/${posts[3]}/lock` },
    'POST /api/admin/accounts': {
      json: (_, index) => ({
        username: `made-${index}`,
        password: 'a good pass phrase',
        roles: ['USER'],
        name: 'Made',
        email: 'made@example.org',
      }),
    },
    'PUT /api/admin/accounts/:username': {
      path: () => account('target'),
      json: () => ({ roles: ['EDITOR'], password: 'another pass phrase' }),
    },
    'DELETE /api/admin/accounts/:username': { path: () => account('doomed') },
    'POST /api/admin/accounts/:username/password': { path: () => `${account('target')}/password` },
    'DELETE /api/admin/accounts/:username/second-factor': {
      path: () => `${account('target')}/second-factor`,
    },
    'DELETE /api/admin/accounts/:username/sessions': {
      path: () => `${account('target')}/sessions`,
    },
    'POST /api/admin/accounts/:username/reset': { path: () => `${account('forgetful')}/reset` },
    'DELETE /api/admin/accounts/:username/identities/:id': {
      path: () => `${account('target')}/identities/${ofTarget}`,
    },
    'DELETE /api/admin/accounts/:username/email': { path: () => `${account('target')}/email` },
    'POST /api/admin/invitations': {
      json: (_, index) => ({ email: `invited-${index}@example.org`, roles: ['USER'] }),
    },
    'POST /api/admin/invitations/:id/resend': { path: () => `${invitations}/${kept}/resend` },
    'DELETE /api/admin/invitations/:id': { path: () => `${invitations}/${revoked}` },
    'POST /api/admin/backups': {},
    'POST /api/admin/audit/verification': {},
    'POST /api/admin/keys/rotate': { json: () => ({ purpose: 'refresh' }) },
    'POST /api/admin/keys/:kid/retire': { path: () => `/api/admin/keys/${replaced}/retire` },
    'POST /api/admin/mail/test': { json: () => ({ address: 'post@example.org' }) },
    'POST /api/admin/mail/:id/resend': { path: () => `/api/admin/mail/${waiting}/resend` },
    'DELETE /api/admin/mail/:id': { path: () => `/api/admin/mail/${doomedMail}` },
    [`POST ${webhooks}`]: { json: () => ({ url: unheard, events: ['*'] }) },
    [`PUT ${webhooks}/:id`]: {
      path: () => `${webhooks}/${webhook.id}`,
      json: () => ({ url: 'https://other.example.org/' }),
    },
    [`DELETE ${webhooks}/:id`]: { path: () => `${webhooks}/${doomedWebhook.id}` },
    [`POST ${webhooks}/:id/secret`]: { path: () => `${webhooks}/${webhook.id}/secret` },
    [`POST ${webhooks}/:id/test`]: { path: () => `${webhooks}/${webhook.id}/test` },
    [`POST ${webhooks}/:id/repeat`]: {
      path: () => `${webhooks}/${webhook.id}/repeat`,
      json: () => ({}),
    },
    [`POST ${webhooks}/deliveries/:id/repeat`]: {
      path: () => `${webhooks}/deliveries/${delivery}/repeat`,
    },
    'POST /api/admin/tokens/revoke': {
      json: (_, index) => ({ jti: `token-${index}`, exp: 9_000_000_000 }),
    },
    // It has no transaction, because it changes nothing.
    'POST /api/admin/explain': { at: null, json: () => ({ token: 'none' }) },
    'DELETE /api/admin/throttle/:username': { path: () => '/api/admin/throttle/target' },
    'DELETE /api/admin/throttle/addresses/:address': {
      path: () => '/api/admin/throttle/addresses/192.0.2.1',
    },
    'POST /api/admin/import/accounts': {
      lines: ({ who }) => ndjson([line(`imported-by-${who.username}`)]),
    },
    ...each(['', '/api/v1', '/api/v2'], (prefix, index) => ({
      [`POST ${prefix}/users`]: { json: () => ({ name: 'New', email: 'new@example.org' }) },
      [`PUT ${prefix}/users/:id`]: {
        path: () => `${prefix}/users/${changedUser}`,
        json: () => ({ name: 'Changed' }),
      },
      [`DELETE ${prefix}/users/:id`]: { path: () => `${prefix}/users/${doomedUsers[index]}` },
    })),
    ...each(['/api/account', '/api/user/account'], (prefix, index) => ({
      [`PUT ${prefix}/password`]: {
        json: ({ who }) => ({ current_password: who.password, new_password: 'other pass phrase' }),
      },
      [`DELETE ${prefix}`]: { json: ({ who }) => ({ username: who.username, ...present(who) }) },
      [`POST ${prefix}/totp`]: { json: ({ who }) => present(who) },
      [`PUT ${prefix}/totp`]: { json: ({ code }) => ({ totp: code() }), at: 2 },
      [`DELETE ${prefix}/totp`]: {
        hasFactor: true,
        at: 3,
        json: ({ device, who }) => ({
          recovery_code: device?.recoveryCodes[index],
          ...present(who),
        }),
      },
      [`POST ${prefix}/recovery-codes`]: {
        hasFactor: true,
        at: 2,
        json: ({ device, who }) => ({
          recovery_code: device?.recoveryCodes[index + 2],
          ...present(who),
        }),
      },
      [`POST ${prefix}/identities`]: {
        json: ({ who }) => ({ provider: 'default', ...present(who) }),
      },
      [`DELETE ${prefix}/identities/:id`]: {
        path: ({ identityIds }) => `${prefix}/identities/${identityIds[index]}`,
        json: ({ who }) => present(who),
      },
      [`DELETE ${prefix}/sessions/:id`]: {
        path: ({ sessionHandle }) => `${prefix}/sessions/${sessionHandle}`,
      },
      [`DELETE ${prefix}/sessions`]: {},
      [`PUT ${prefix}/email`]: {
        json: ({ who }, index) => ({
          email: `${who.username}-${index}@example.org`,
          ...present(who),
        }),
      },
      [`DELETE ${prefix}/email`]: {},
      [`PUT ${prefix}/language`]: { json: () => ({ language: 'de' }) },
    })),
    ...pageForms({
      '/language': { json: () => ({ language: 'de' }) },
      '/password': {
        json: ({ who }) => ({
          current_password: who.password,
          new_password: 'other pass phrase',
          new_password_again: 'other pass phrase',
        }),
      },
      '/second-factor/set-up': { json: ({ who }) => present(who) },
      '/second-factor/remove': {
        hasFactor: true,
        at: 3,
        json: ({ device, who }) => ({ recovery_code: device?.recoveryCodes[4], ...present(who) }),
      },
      '/recovery-codes': {
        hasFactor: true,
        at: 2,
        json: ({ device, who }) => ({ recovery_code: device?.recoveryCodes[5], ...present(who) }),
      },
      '/sessions/end': { json: ({ sessionHandle }) => ({ session: sessionHandle }) },
      '/sessions/end-others': {},
      '/providers/link': { json: ({ who }) => ({ provider: 'default', ...present(who) }) },
      '/email': { json: ({ who }, at) => ({ email: `form-${at}@example.org`, ...present(who) }) },
      '/email/cancel': {},
      '/delete': { json: ({ who }) => ({ username: who.username, ...present(who) }) },
    }),
  }

  /** Forms of the pages of the account, which take JSON as well; the token is a field of theirs. */
  function pageForms(forms: Record<string, Row>): Record<string, Row> {
    return Object.fromEntries(
      Object.entries(forms).map(([path, { json, ...row }]) => [
        `POST /account${path}`,
        {
          ...row,
          isSessionOnly: true as const,
          json: (caller: Caller, index: number) => ({
            ...json?.(caller, index),
            csrf_token: caller.headers['x-csrf-token'],
          }),
        },
      ]),
    )
  }
  /** They need more than a caller: a flow, a code of a mail. The JSON routes have the same services. */
  const notHere = [
    'POST /account/second-factor/confirm',
    'POST /account/confirm',
    'POST /account/email/confirm',
    'POST /account/providers/unlink',
  ]

  // A client ends in other ways: test/attacks/clients.test.ts.
  const changing = app.app
    .routes()
    .filter(({ schemes }) => schemes !== 'client')
    .filter(({ method, rule }) => !['GET', 'HEAD', '*'].includes(method) && rule !== 'anyone')

  test('every changing route of the service has its row here', () => {
    const routes = changing.map(({ method, url }) => `${method} ${url}`)
    assert.deepEqual([...Object.keys(rows), ...notHere].sort(), routes.sort())
  })

  for (const [what, { scheme, end }] of Object.entries(ends)) {
    for (const hasFactor of [false, true]) {
      if (hasFactor && scheme === 'basic') continue // it has no room for a second factor
      const [status, error] = what.includes('roles') ? [403, 'Access denied'] : refusals[scheme]
      const taken = Object.entries(rows).filter(
        ([key, row]) =>
          (row.hasFactor ?? false) === hasFactor &&
          (scheme === 'session' || !row.isSessionOnly) &&
          (!what.includes('roles') || asksForRole(key)),
      )

      const moments = taken.flatMap(([key, row]): Moment[] => [
        ...(row.at === null ? [] : [{ key, row, moment: atCommit }]),
        ...(row.json ? [{ key, row, moment: inBody }] : []),
      ])
      const named = hasFactor ? `${what}, of a caller with a second factor` : what
      test(`${named}: ${status} at every moment, and nothing changes`, async () => {
        const caller = await newCaller(scheme, hasFactor)
        const requests = moments.map(({ key, row, moment }, index) =>
          hold(key, row, { caller, index, moment }),
        )
        await Promise.all(requests.map((request) => request.held))
        const { who, headers } = caller
        await end({ app, who, headers, name: account(who.username), admin })
        const before = await stored()
        for (const { goOn } of requests) goOn()
        for (const [index, { key, moment }] of moments.entries()) {
          const answer = await requests[index]?.answer
          assert.ok(answer)
          if (key === 'POST /api/transfer') {
            assert.deepEqual([answer.status, answer.text], [status, ''], key) // spec 4.1
            assertHeaders(answer, key)
          } else assertRefusal(answer, status, error, `${key} ${moment}`)
        }
        assert.deepEqual(await stored(), before)
      })
    }
  }

  test('each of these requests succeeds for a caller whose login has not ended', async () => {
    const shared = await newCaller('session', false)
    for (const [index, [key, row]] of Object.entries(rows).entries()) {
      const changesCaller =
        /totp|recovery|second-factor|password$|sessions\/(:id|end$)|account$/.test(key)
      const caller = changesCaller ? await newCaller('session', row.hasFactor ?? false) : shared
      const moment = row.at === null ? inBody : atCommit
      const request = hold(key, row, { caller, index: 1000 + index, moment })
      await request.held
      request.goOn()
      const { status, text } = await request.answer
      assert.ok([200, 201, 202, 303].includes(status), `${key} ${status} ${text}`)
    }
  })

  for (const scheme of ['session', 'bearer'] as const) {
    test(`the end of a linking by ${scheme}: a caller that logs out meanwhile links nothing`, async () => {
      const { who, headers } = await newCaller(scheme, false)
      const browser = testBrowser(app)
      const json = { provider: 'default', ...present(who) }
      const { authorization = '', 'x-csrf-token': csrf = '', cookie = '' } = headers
      const [name = '', value = ''] = cookie.split('=')
      if (cookie) browser.cookies.set(name, value)
      const proof = cookie ? { 'x-csrf-token': csrf } : { authorization }
      idp.person = { sub: who.username }
      const begun = await browser.call('POST', '/api/account/identities', { headers: proof, json })
      const { pathname, search } = await browser.until(begun.body.url)
      const flow = [...browser.cookies].filter(([other]) => other !== name)
      const call = {
        method: 'GET',
        path: pathname + search,
        headers: { cookie: flow.map((pair) => pair.join('=')).join('; ') },
      }
      const request = holdAtTransaction(app, call, 1)
      await request.held
      await logout({ app, headers })
      const before = await stored()
      request.goOn()
      assertRefusal(await request.answer, 400, 'Sign-in failed')
      assert.deepEqual(await stored(), before)
    })
  }

  test("a provider's token: its end here, its time, and what becomes of the account it is linked to", async () => {
    const { who, identityIds } = await newCaller('session', false)
    const [identity, other] = identityIds
    const link = (id: number | undefined, subject: string) =>
      app.deps.db
        .updateTable('identities')
        .set({ issuer: idp.issuer, subject })
        .where('id', '=', id ?? 0)
        .execute()
    await link(identity, 'locked')
    await link(other, 'unlinked')
    const exp = Math.floor(app.clock.now() / 1000) + 10
    const ends: Record<string, (headers: Headers) => unknown> = {
      'logged-out': (headers) => logout({ app, headers }),
      locked: () => admin('PUT', account(who.username), { locked: true }),
      unlinked: () =>
        app.deps.db
          .deleteFrom('identities')
          .where('id', '=', other ?? 0)
          .execute(),
      expired: () => app.clock.advance(10),
    }
    // What ends one must not have ended the others: each is held before any end.
    const requests = Object.keys(ends).map((sub) => {
      const token = idp.signed(idp.claims({ sub, exp, roles: ['ADMIN'] }))
      const headers = { authorization: `Bearer ${token}` }
      const body = JSON.stringify({ name: 'New', email: 'new@example.org' })
      const call = { method: 'POST', path: '/users', headers, body }
      return { sub, headers, request: holdAtTransaction(app, call, 1) }
    })
    await Promise.all(requests.map(({ request }) => request.held))
    for (const { sub, headers, request } of requests) {
      await ends[sub]?.(headers)
      const before = await stored()
      request.goOn()
      assertRefusal(await request.answer, 401, 'Invalid or expired token', sub)
      assert.deepEqual(await stored(), before)
    }
  })

  interface Moment {
    readonly key: string
    readonly row: Row
    readonly moment: When
  }

  interface Holding {
    readonly caller: Caller
    readonly index: number
    readonly moment: When
  }

  function hold(key: string, row: Row, { caller, index, moment }: Holding): HeldRequest {
    const [method = '', url = ''] = key.split(' ')
    const path = row.path?.(caller) ?? url
    const body = row.lines?.(caller) ?? (row.json && JSON.stringify(row.json(caller, index)))
    const typed = row.lines && { 'content-type': 'application/x-ndjson' }
    const call = { method, path, headers: { ...caller.headers, ...typed } }
    if (moment === inBody) return holdBody(app, { ...call, body: body ?? '' })
    return holdAtTransaction(app, { ...call, ...(body !== undefined && { body }) }, row.at ?? 1)
  }

  async function newCaller(scheme: Scheme, hasFactor: boolean): Promise<Caller> {
    callers += 1
    const who = await app.account(`caller-${callers}`, ['USER', 'EDITOR', 'ADMIN'])
    const session = await app.session(who)
    const device = hasFactor ? await enrol(app, session) : undefined
    const code = device?.code ?? (await beginEnrolment(app, session))
    if (!device) await app.session(who)
    const sessions = await app.call('GET', '/api/account/sessions', { headers: session })
    const identity = { user_id: who.userId, subject: who.username, created_at: 0 }
    const linked = await app.deps.db
      .insertInto('identities')
      .values([
        { ...identity, issuer: 'one' },
        { ...identity, issuer: 'other' },
      ])
      .returning('id')
      .execute()
    return {
      who,
      headers: scheme === 'session' ? session : await proofOf(who, scheme, device),
      sessionHandle: sessions.body.find(({ current }: { current: boolean }) => !current)?.id,
      identityIds: linked.map(({ id }) => id),
      code,
      device,
    }
  }

  async function proofOf(
    who: Someone,
    scheme: Exclude<Scheme, 'session'>,
    device: Device | undefined,
  ): Promise<Headers> {
    if (scheme === 'basic') {
      const headers = app.basic(who)
      // Verified once, and remembered: tries of many at once would fill the throttle.
      assert.equal((await app.call('GET', '/users/1', { headers })).status, 200)
      return headers
    }
    const { username, password } = who
    const recovery_code = device?.recoveryCodes.at(-1)
    const json = { username, password, mode: 'token', recovery_code }
    const { body } = await app.call('POST', '/login', { json })
    return { authorization: `Bearer ${body.token}` }
  }

  /** All rows but counted tries, and what an import under way holds unseen until it is given up. */
  async function stored() {
    const { accounts, users, token_versions, row_counts, role_assignments, passwords, ...rest } =
      await app.rows('throttle_places', 'imports')
    const staged = new Set(
      (users as { id: number; import_id: number | null }[]).flatMap(({ id, import_id }) =>
        import_id === null ? [] : id,
      ),
    )
    const isSeen = (row: unknown) => {
      const {
        id,
        account = id,
        user_id = account,
        name = '',
      } = row as { id?: number; account?: number; user_id?: number; name?: string }
      return !staged.has(user_id ?? 0) && !name.startsWith('import ')
    }
    const counted = [accounts, users, token_versions, row_counts, role_assignments, passwords]
    return { ...rest, counted: counted.map((table) => table?.filter(isSeen)) }
  }

  function asksForRole(key: string): boolean {
    return changing.some(
      ({ method, url, rule }) => key === `${method} ${url}` && rule !== 'authenticated',
    )
  }
})

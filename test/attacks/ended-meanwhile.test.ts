// A database makes a difference: a change waits for locks while its caller ends.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, type Someone, type TestApp, testApp } from '../app.ts'
import type { Caller, Made } from '../example.ts'
import {
  exampleSettings,
  newCaller,
  requestOf,
  type Scheme,
  type ShownRoute,
  shownRoutes,
  worldOf,
} from '../examples.ts'
import {
  type HeldRequest,
  holdAtTransaction,
  holdableDatabase,
  holdBody,
} from '../held-requests.ts'
import { clockOfToday, exampleProvider } from '../identity-provider.ts'
import { assertHeaders, assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'

const idp = await exampleProvider()

type When = 'before the change is committed' | 'while the body comes'
const atCommit: When = 'before the change is committed'
const inBody: When = 'while the body comes'

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

/** Fewer than the passwords that can wait for their hash. */
const atOnce = 100

suite('a caller that ends while its request is under way', async () => {
  const app = await testApp(
    // Many proofs of one caller wait at once, and more than a hundred changes for the writer.
    { ...(await exampleSettings()), DATABASE_TIMEOUT_MS: '10000' },
    {
      clock: clockOfToday(),
      ...(await holdableDatabase()),
    },
  )
  const headers = app.basic(app.admin)
  const admin = async (method: string, path: string, json?: object) => {
    const answer = await app.call(method, path, { headers, json })
    assert.ok(answer.status < 300, `${method} ${path} ${answer.text}`)
    return answer.body
  }
  const account = (username: string) => `/api/admin/accounts/${username}`
  const world = await worldOf(app)

  // A client ends in other ways: test/attacks/clients.test.ts.
  const changing = shownRoutes(app)
    .filter(({ schemes }) => schemes !== 'client')
    .filter(({ method, rule }) => !['GET', 'HEAD', '*'].includes(method) && rule !== 'anyone')

  for (const [what, { scheme, end }] of Object.entries(ends)) {
    for (const hasFactor of [false, true]) {
      if (hasFactor && scheme === 'basic') continue // it has no room for a second factor
      const [status, error] = what.includes('roles') ? [403, 'Access denied'] : refusals[scheme]
      const taken = changing.filter(
        ({ example, rule, schemes }) =>
          (example.needs === 'factor') === hasFactor &&
          schemes.split(',').includes(scheme) &&
          (!what.includes('roles') || rule !== 'authenticated'),
      )

      const moments = taken.flatMap((route): Moment[] => [
        ...(route.example.commit === null ? [] : [{ route, moment: atCommit }]),
        ...(route.body === 'none' ? [] : [{ route, moment: inBody }]),
      ])
      const refuseAll = async (some: readonly Moment[]) => {
        const caller = await newCaller(world, scheme, hasFactor)
        const routes = [...new Set(some.map(({ route }) => route))]
        const made = await inTurn(routes, ({ example }) => example.make?.(world, caller))
        const requests = some.map(({ route, moment }) =>
          hold(route, made[routes.indexOf(route)] ?? {}, { caller, moment }),
        )
        await Promise.all(requests.map((request) => request.held))
        const { who, headers } = caller
        await end({ app, who, headers, name: account(who.username), admin })
        const before = await stored()
        for (const { goOn } of requests) goOn()
        for (const [index, { route, moment }] of some.entries()) {
          const { name } = route
          const answer = await requests[index]?.answer
          assert.ok(answer)
          if (name === 'POST /api/transfer') {
            assert.deepEqual([answer.status, answer.text], [status, ''], name) // spec 4.1
            assertHeaders(answer, name)
          } else assertRefusal(answer, status, error, `${name} ${moment}`)
        }
        assert.deepEqual(await stored(), before)
      }
      const named = hasFactor ? `${what}, of a caller with a second factor` : what
      test(`${named}: ${status} at every moment, and nothing changes`, async () => {
        for (let from = 0; from < moments.length; from += atOnce) {
          await refuseAll(moments.slice(from, from + atOnce))
        }
      })
    }
  }

  test('each of these requests succeeds for a caller whose login has not ended', async () => {
    const shared = await newCaller(world, 'session')
    for (const route of changing) {
      const { needs, commit, make } = route.example
      const caller = needs ? await newCaller(world, 'session', needs === 'factor') : shared
      const made = (await make?.(world, caller)) ?? {}
      const request = hold(route, made, { caller, moment: commit === null ? inBody : atCommit })
      await request.held
      request.goOn()
      const { status, text } = await request.answer
      assert.ok([200, 201, 202, 303].includes(status), `${route.name} ${status} ${text}`)
    }
  })

  for (const scheme of ['session', 'bearer'] as const) {
    test(`the end of a linking by ${scheme}: a caller that logs out meanwhile links nothing`, async () => {
      const { who, headers } = await newCaller(world, scheme)
      const browser = testBrowser(app)
      const json = { provider: 'default', current_password: who.password }
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
    const { who } = await newCaller(world, 'session')
    const link = async (subject: string) => {
      const identity = { user_id: who.userId, issuer: idp.issuer, subject, created_at: 0 }
      await app.deps.db.insertInto('identities').values(identity).execute()
    }
    await link('locked')
    await link('unlinked')
    const exp = Math.floor(app.clock.now() / 1000) + 10
    const ends: Record<string, (headers: Headers) => unknown> = {
      'logged-out': (headers) => logout({ app, headers }),
      locked: () => admin('PUT', account(who.username), { locked: true }),
      unlinked: () =>
        app.deps.db.deleteFrom('identities').where('subject', '=', 'unlinked').execute(),
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
    readonly route: ShownRoute
    readonly moment: When
  }

  interface Holding {
    readonly caller: Caller
    readonly moment: When
  }

  function hold(route: ShownRoute, made: Made, { caller, moment }: Holding): HeldRequest {
    const call = requestOf(route, made, caller)
    if (moment === inBody) return holdBody(app, { ...call, body: call.body ?? '{}' })
    return holdAtTransaction(app, call, route.example.commit ?? 1)
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
})

/** Makes one after another. */
async function inTurn<From, To>(all: readonly From[], make: (one: From) => Promise<To> | To) {
  const made: To[] = []
  for (const one of all) made.push(await make(one))
  return made
}

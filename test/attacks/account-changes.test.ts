// A database makes a difference: two administrators change each other at once.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '../../src/core/policy/principal.ts'
import { type Someone, type TestApp, testApp } from '../app.ts'
import { refuseChanges } from '../database.ts'
import { watchedDatabase } from '../watched-database.ts'

const gone = [401, { error: 'Authentication required' }] as const
const refusedRefresh = [401, { error: 'Invalid refresh token' }] as const
const both = ({ status, body }: { status: number; body: unknown }) => [status, body]

const account = (username: string) => `/api/admin/accounts/${username}`

suite('the last administrator stays', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const lastOne = [409, { error: 'Last administrator' }]
  const ways: readonly [string, string, object?][] = [
    ['PUT', account('admin'), { roles: ['USER', 'EDITOR'] }],
    ['PUT', account('admin'), { roles: [] }],
    ['PUT', account('ADMIN'), { roles: ['USER'], locked: false, active: true }],
    ['PUT', account('admin'), { locked: true }],
    ['PUT', account('admin'), { active: false }],
    ['PUT', account('admin'), { active: false, must_change: true }],
    ['DELETE', account('admin')],
    ['DELETE', '/users/1'],
    ['DELETE', '/users/01'],
    ['DELETE', '/api/v1/users/1'],
    ['DELETE', '/api/v2/users/1'],
  ]
  const useless: readonly [string, object][] = [
    ['alone', {}],
    ['beside a locked administrator', { locked: true }],
    ['beside a disabled administrator', { active: false }],
    ['beside an account without the role', { roles: ['USER', 'EDITOR'] }],
  ]
  for (const [index, [who, change]] of useless.entries()) {
    test(`T77: the last active administrator (${who}) cannot be lost in any way: 409`, async () => {
      const name = `other${index}`
      await app.account(name, ['ADMIN'])
      const changed = await app.call('PUT', account(name), { headers, json: change })
      assert.equal(changed.status, 200)
      if (index === 0) await app.call('DELETE', account(name), { headers })
      const before = await app.rows()
      for (const [method, path, json] of ways) {
        const answer = await app.call(method, path, { headers, json })
        assert.deepEqual(both(answer), lastOne, `${method} ${path} ${JSON.stringify(json)}`)
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  const losing: readonly [string, string, object?][] = [
    ['PUT', 'account', { roles: ['USER'] }],
    ['PUT', 'account', { locked: true }],
    ['PUT', 'account', { active: false }],
    ['DELETE', 'account'],
    ['DELETE', 'user'],
  ]
  for (const [method, what, json] of losing) {
    test(`two administrators who ${method} ${what} ${JSON.stringify(json ?? {})} each other at once: one stays`, async () => {
      const race = await testApp()
      const second = await race.account('second', ['ADMIN'])
      const pathOf = ({ username, userId }: Someone) =>
        what === 'account' ? account(username) : `/users/${userId}`
      const pairs = [
        [race.admin, second],
        [second, race.admin],
      ] as const
      const proofs = await Promise.all(pairs.map(([by]) => race.bearer(by)))
      const answers = await Promise.all(
        pairs.map(([, target], index) =>
          race.call(method, pathOf(target), { headers: proofs[index], json }),
        ),
      )
      const statuses = answers.map(({ status }) => status)
      assert.equal(statuses.filter((status) => status === 200).length, 1, String(statuses))
      const left = await race.deps.db
        .selectFrom('accounts')
        .innerJoin('role_assignments', 'role_assignments.account', 'accounts.user_id')
        .select('user_id')
        .where('role', '=', 'ADMIN')
        .where('active', '=', 1)
        .where('locked', '=', 0)
        .execute()
      assert.equal(left.length, 1)
      await race.close()
    })
  }
})

suite('what a change of an account does to what was given out', async () => {
  let pause: (() => Promise<unknown>) | undefined
  const app = await testApp(
    {},
    await watchedDatabase(async ({ table }) => {
      if (table !== 'accounts' || !pause) return
      const meanwhile = pause
      pause = undefined
      await meanwhile()
    }),
  )
  const admin = await app.bearer(app.admin)
  let made = 0
  const newAccount = (roles: readonly Role[] = ['USER']) => {
    made += 1
    return app.account(`person${made}`, roles)
  }
  const change = async ({ username }: Someone, json: object) => {
    const answer = await app.call('PUT', account(username), { headers: admin, json })
    assert.equal(answer.status, 200, answer.text)
    return answer.body
  }
  const refresh = (refresh_token: string) =>
    app.call('POST', '/refresh', { json: { refresh_token } })
  const protectedBy = (headers: Record<string, string>) =>
    app.call('GET', '/api/protected', { headers })

  const endings: readonly [string, (one: Someone) => Promise<unknown>, boolean?][] = [
    ['locking the account', (one) => change(one, { locked: true })],
    ['disabling the account', (one) => change(one, { active: false })],
    [
      'a new password by an administrator',
      (one) => change(one, { password: 'brand new password' }),
    ],
    [
      'deleting the account',
      ({ username }) => app.call('DELETE', account(username), { headers: admin }),
      true,
    ],
    [
      'deleting the user',
      ({ userId }) => app.call('DELETE', `/users/${userId}`, { headers: admin }),
      true,
    ],
  ]
  for (const [what, end, isForGood] of endings) {
    test(`T57: ${what} ends sessions, Basic and refresh at the next request, for good`, async () => {
      const one = await newAccount()
      const [session, { refresh_token }] = [await app.session(one), await app.pair(one)]
      assert.equal((await protectedBy(session)).status, 200)
      const use = () => app.call('GET', '/users/1', { headers: app.basic(one) })
      assert.equal((await use()).status, 200) // remembered from here on
      await end(one)
      assert.deepEqual(both(await protectedBy(session)), gone)
      assert.deepEqual(both(await use()), gone)
      assert.deepEqual(both(await refresh(refresh_token)), refusedRefresh)
      const login = await app.call('POST', '/login', { json: one })
      assert.deepEqual(both(login), [401, { error: 'Invalid credentials' }])
      assert.equal((await app.rows()).sessions?.length, 0)
      if (!isForGood) await change(one, { locked: false, active: true })
      assert.deepEqual(both(await protectedBy(session)), gone)
      assert.deepEqual(both(await refresh(refresh_token)), refusedRefresh)
    })
  }

  test('T57: a refresh token of a deleted account opens no later account of the same user', async () => {
    const one = await newAccount()
    const { refresh_token } = await app.pair(one)
    await app.call('DELETE', account(one.username), { headers: admin })
    const json = { username: 'successor', password: 'of the same user', roles: ['ADMIN'] }
    const again = await app.call('POST', '/api/admin/accounts', {
      headers: admin,
      json: { ...json, user_id: one.userId },
    })
    assert.equal(again.status, 201)
    assert.deepEqual(both(await refresh(refresh_token)), refusedRefresh)
  })

  test('T58: a role change shows in sessions, Basic and /refresh at once, and ends no session', async () => {
    const one = await newAccount(['ADMIN'])
    const [session, { refresh_token }] = [await app.session(one), await app.pair(one)]
    const asks = () =>
      Promise.all(
        [session, app.basic(one)].map(
          async (headers) => (await app.call('GET', '/api/admin/accounts', { headers })).status,
        ),
      )
    const rolesNow = async () => {
      const { body } = await app.call('GET', '/api/session', { headers: session })
      const { access_token } = (await refresh(refresh_token)).body
      const headers = { authorization: `Bearer ${access_token}` }
      const me = await app.call('GET', '/api/me', { headers })
      const list = await app.call('GET', '/api/admin/accounts', { headers })
      return [body.roles, me.body.roles, list.status]
    }
    assert.deepEqual(
      [await asks(), await rolesNow()],
      [
        [200, 200],
        [['ADMIN'], ['ADMIN'], 200],
      ],
    )
    await change(one, { roles: ['USER'] })
    assert.deepEqual(
      [await asks(), await rolesNow()],
      [
        [403, 403],
        [['USER'], ['USER'], 403],
      ],
    )
    await change(one, { roles: ['ADMIN', 'EDITOR'] })
    const roles = ['EDITOR', 'ADMIN']
    assert.deepEqual(
      [await asks(), await rolesNow()],
      [
        [200, 200],
        [roles, roles, 200],
      ],
    )
  })

  test('/refresh reads the username anew', async () => {
    const one = await newAccount()
    const { refresh_token } = await app.pair(one)
    await app.deps.db
      .updateTable('accounts')
      .set({ username: 'renamed' })
      .where('user_id', '=', one.userId)
      .execute()
    const { access_token } = (await refresh(refresh_token)).body
    const claims = JSON.parse(Buffer.from(access_token.split('.')[1], 'base64url').toString())
    assert.equal(claims.username, 'renamed')
  })

  test('the session that changes its own password goes on, the others end', async () => {
    const one = await newAccount(['ADMIN'])
    const [own, other] = [await app.session(one), await app.session(one)]
    const password = 'chosen by myself today'
    const denied = await app.call('PUT', account(one.username), {
      headers: own,
      json: { password },
    })
    assert.deepEqual(both(denied), [403, { error: 'Access denied' }])
    assert.equal((await protectedBy(other)).status, 200)
    const json = { current_password: one.password, new_password: password }
    const changed = await app.call('PUT', '/api/account/password', { headers: own, json })
    assert.equal(changed.status, 200)
    assert.equal((await protectedBy(own)).status, 200)
    assert.deepEqual(both(await protectedBy(other)), gone)
  })

  test('must_change refuses Basic until a login brings a new password', async () => {
    const one = await newAccount()
    await change(one, { must_change: true })
    const basic = { headers: app.basic(one) }
    assert.deepEqual(both(await app.call('GET', '/users/1', basic)), gone)
    const login = await app.call('POST', '/login', { json: one })
    assert.deepEqual(both(login), [403, { error: 'Password change required' }])
    const json = { ...one, new_password: 'a password of my own' }
    assert.equal((await app.call('POST', '/login', { json })).status, 200)
    const now = { headers: app.basic({ ...one, password: json.new_password }) }
    assert.equal((await app.call('GET', '/users/1', now)).status, 200)
  })

  for (const [what, end] of endings) {
    test(`T57: ${what} while a login is being verified leaves no session and no 5xx`, async () => {
      const one = await newAccount()
      const { username, password } = one
      const before = (await app.rows()).sessions
      pause = () => end(one) // the login has read the account and not yet verified the password
      const form = { username, password, mode: 'session' }
      const answer = await app.call('POST', '/login', { form })
      assert.deepEqual(both(answer), [401, { error: 'Invalid credentials' }])
      assert.deepEqual(answer.cookies, {})
      assert.deepEqual((await app.rows()).sessions, before)
    })
  }
})

suite('deleting', async () => {
  const app: TestApp = await testApp()
  const headers = await app.bearer(app.admin)

  test('a deleted user leaves no row behind, and the answer is the user', async () => {
    // But the log of ended tokens, which must outlive it.
    const before = await app.rows('revocations')
    const one = await app.account('shortlived', ['USER', 'EDITOR'])
    await app.session(one)
    await app.session(one)
    const during = await app.rows()
    assert.equal(during.sessions?.length, 2)
    const answer = await app.call('DELETE', `/users/${one.userId}`, { headers })
    const user = { id: one.userId, name: 'shortlived', email: 'someone@example.org' }
    assert.deepEqual(both(answer), [200, user])
    // What is left of the erasure is done by its job, which forgets it ten minutes later.
    const erasures = app.app.jobs.find(({ name }) => name === 'erasures') ?? assert.fail()
    await erasures.run()
    const [left, ...others] = (await app.rows()).erasures ?? []
    assert.deepEqual(others, [])
    const { user_id, cleared_at } = left as Record<string, unknown>
    assert.deepEqual([user_id, Number(cleared_at)], [one.userId, app.clock.now()])
    app.clock.advance(601)
    await erasures.run()
    assert.deepEqual(await app.rows('revocations'), before)
    assert.equal((await app.call('GET', account('shortlived'), { headers })).status, 404)
  })

  test('a deletion that fails midway removes nothing', async () => {
    const one = await app.account('halfway')
    await app.session(one)
    const allow = await refuseChanges(app, 'delete on users')
    const before = await app.rows()
    const answer = await app.call('DELETE', `/users/${one.userId}`, { headers })
    assert.deepEqual(both(answer), [500, { error: 'Internal server error' }])
    assert.deepEqual(await app.rows(), before)
    await allow()
  })

  test('a deleted account leaves its user, who can get another', async () => {
    const one = await app.account('leaver')
    const before = (await app.rows()).users
    const answer = await app.call('DELETE', account('leaver'), { headers })
    assert.equal(answer.status, 200)
    assert.equal(answer.body.user_id, one.userId)
    assert.deepEqual((await app.rows()).users, before)
    const json = { username: 'leaver', password: 'another password', roles: ['USER'] }
    const again = { ...json, user_id: one.userId }
    const made = await app.call('POST', '/api/admin/accounts', { headers, json: again })
    assert.equal(made.status, 201)
  })
})

import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { isAdministratorsUser } from '../../src/modules/accounts/accounts.ts'
import { createUsers } from '../../src/modules/users/users.ts'
import { type Headers, testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

type Policy = 'roles' | 'administrators' | 'authenticated' | 'open'
type Operation = 'list' | 'read' | 'update' | 'remove'
type Asker = 'nobody' | 'plain' | 'user' | 'editor' | 'admin' | 'boss'
/** The row: without an account, of the caller, or of an ADMIN who is not the caller. */
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
  return policy === 'open' || asker !== 'nobody'
}

suite('USERS_POLICY: which callers read, change and remove which rows', () => {
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
        const headers = asker === 'nobody' ? {} : app.basic(someone[asker])
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
          asker === 'nobody' ? [401, 'Authentication required'] : [403, 'Access denied']
        assert.deepEqual([status, body], [refusal[0], { error: refusal[1] }], about)
        assert.deepEqual(await rowOf(id), before, about)
      }
      const free = await newUser()
      for (const asker of ['nobody', 'plain', 'user', 'editor', 'admin', 'boss'] as const) {
        await ask('list', asker, 'free', free)
        for (const operation of ['read', 'update'] as const) {
          await ask(operation, asker, 'free', free)
          if (asker !== 'nobody') await ask(operation, asker, 'own', someone[asker].userId)
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
            events: app.deps.events,
            config: app.deps.config,
            db: app.deps.db,
            asyncCommitDb: app.deps.asyncCommitDb,
            hooks: {
              isPrivileged: isAdministratorsUser,
              removing: async () => {},
              traces: [],
              changed: async () => {},
            },
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

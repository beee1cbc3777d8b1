// A database makes a difference: two processes share it.
import assert from 'node:assert/strict'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { type Answer, passwordOf, type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { deafFeed, heard } from '../database.ts'
import { enrolled } from '../factor.ts'
import { countHashes } from '../hashes.ts'
import { doors, newHost, tally, throttleAlone } from '../logins.ts'
import { assertRefusal } from '../refusal.ts'

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted()

suite('R14: two nodes on one database', async () => {
  const env = { ...throttleAlone, REFRESH_ROTATION: 'on' }
  const one = await testApp(env)
  const two = await testApp(env, { directory: one.directory, clock: one.clock })
  const nodes = [one, two] as const
  const admin = await one.bearer(one.admin)
  const ann = await one.account('ann')
  /** So many calls at once, every second one at the other node. */
  const crowd = (count: number, call: (node: TestApp, index: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: count }, (_, n) => call(n % 2 ? two : one, n)))

  test('T25: 200 parallel guesses get 5 verifications, whichever node they reach', async () => {
    const from = newHost()
    const { hashes, result } = await countHashes(() =>
      crowd(200, (node) => doors.JSON(node, { ...ann, password: 'not the password' }, { from })),
    )
    assert.equal(hashes, 5)
    assert.deepEqual(tally(result), { 401: 5, 429: 195 })
  })

  test('T40: a code of the second factor is accepted once, of 50 at two nodes', async () => {
    const { who, device } = await enrolled(one, 'fac')
    const json = { username: who.username, password: who.password, totp: device.code() }
    const answers = await crowd(50, (node, n) =>
      node.call('POST', '/login', { json, from: `198.18.0.${n}` }),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
    const recovery = { ...json, totp: undefined, recovery_code: device.recoveryCodes[0] }
    one.clock.advance(901)
    const uses = await crowd(20, (node, n) =>
      node.call('POST', '/login', { json: recovery, from: `198.18.1.${n}` }),
    )
    assert.equal(uses.filter(({ status }) => status === 200).length, 1)
  })

  test('T77: of two administrators who demote, lock or delete each other, one stays', async () => {
    const changes: readonly [string, object?][] = [
      ['PUT', { roles: ['USER'] }],
      ['PUT', { locked: true }],
      ['DELETE'],
    ]
    for (const [method, json] of changes) {
      const race = await testApp()
      const other = await testApp({}, { directory: race.directory, clock: race.clock })
      const rival = await race.account('rival', ['ADMIN'])
      const calls = [
        [race, await race.bearer(race.admin), 'rival'],
        [other, await other.bearer(rival), 'admin'],
      ] as const
      await Promise.all(
        calls.map(([node, headers, name]) =>
          node.call(method, `/api/admin/accounts/${name}`, { headers, json }),
        ),
      )
      const left = await race.deps.db
        .selectFrom('accounts')
        .innerJoin('role_assignments', 'role_assignments.account', 'accounts.user_id')
        .select('user_id')
        .where('role', '=', 'ADMIN')
        .where('active', '=', 1)
        .where('locked', '=', 0)
        .execute()
      assert.equal(left.length, 1, `${method} ${JSON.stringify(json)}`)
      await other.close()
      await race.close()
    }
  })

  test('one username, and one account of a user, however many ask at once', async () => {
    const json = {
      password: passwordOf('twin'),
      roles: ['USER'],
      name: 'T',
      email: 't@example.org',
    }
    const before = (await one.rows()).users?.length ?? 0
    const named = await crowd(6, (node) =>
      node.call('POST', '/api/admin/accounts', {
        headers: admin,
        json: { ...json, username: 'twin' },
      }),
    )
    assert.deepEqual(statusesOf(named), [201, 409, 409, 409, 409, 409])
    assert.equal((await one.rows()).users?.length, before + 1, 'no user without its account')
    const made = await one.call('POST', '/users', { headers: admin, json })
    const accounts = await crowd(6, (node, n) =>
      node.call('POST', '/api/admin/accounts', {
        headers: admin,
        json: { password: json.password, roles: [], username: `twin${n}`, user_id: made.body.id },
      }),
    )
    assert.deepEqual(statusesOf(accounts), [201, 409, 409, 409, 409, 409])
    for (const { status, body } of accounts) {
      if (status === 409) assert.equal(body.error, 'User already has an account')
    }
  })

  test('users that come and go at both are all counted', async () => {
    const json = { name: 'N', email: 'n@example.org' }
    const total = async (node: TestApp) =>
      (await node.call('GET', '/users?limit=1', { headers: admin })).body.total
    const before = await total(one)
    const made = await crowd(40, (node) => node.call('POST', '/users', { headers: admin, json }))
    assert.deepEqual(tally(made), { 201: 40 })
    assert.deepEqual([await total(one), await total(two)], [before + 40, before + 40])
    const ids = made.map(({ body }) => body.id)
    assert.equal(new Set(ids).size, 40)
    const gone = await crowd(40, (node, n) =>
      node.call('DELETE', `/users/${ids[n]}`, { headers: admin }),
    )
    assert.deepEqual(tally(gone), { 200: 40 })
    assert.equal(await total(two), before)
  })

  test('30 tokens that end at once, at both nodes, are all refused by both', async () => {
    const tokens = await Promise.all(Array.from({ length: 30 }, () => one.bearer(ann)))
    const use = (node: TestApp, headers = {}) => node.call('GET', '/api/me', { headers })
    assert.deepEqual(tally(await crowd(30, (node, n) => use(node, tokens[n]))), { 200: 30 })
    await crowd(30, (node, n) => node.call('POST', '/logout', { headers: tokens[n] ?? {} }))
    await Promise.all(nodes.map(heard))
    for (const node of nodes) {
      const answers = await Promise.all(tokens.map((headers) => use(node, headers)))
      assert.deepEqual(tally(answers), { 401: 30 })
    }
  })

  test('a session that ended at one node has ended at the other, at the next request', async () => {
    const session = await one.session(ann)
    const greeted = () => two.call('GET', '/api/protected', { headers: session })
    assert.equal((await greeted()).status, 200)
    await one.call('POST', '/logout', { headers: session })
    assert.equal((await greeted()).status, 401)
  })

  test('a CSRF token of a login at one node is the one that counts at the other', async () => {
    const session = await one.session(ann)
    const other = await two.session(ann)
    const transfer = (headers = {}) => two.call('POST', '/api/transfer', { headers, json: {} })
    const forged = { cookie: session.cookie, 'x-csrf-token': other['x-csrf-token'] }
    for (const headers of [{ cookie: session.cookie }, forged]) {
      assertRefusal(await transfer(headers), 403, 'CSRF token invalid')
    }
    assert.equal((await transfer(session)).status, 200)
  })

  test('T60: a refresh token that is used again at the other node ends the line at both', async () => {
    const { refresh_token } = await one.pair(ann)
    const use = (node: TestApp, token: string) =>
      node.call('POST', '/refresh', { form: { refresh_token: token } })
    const { body } = await use(one, refresh_token)
    one.clock.advance(10)
    for (const token of [refresh_token, body.refresh_token]) {
      for (const node of [two, one]) {
        assertRefusal(await use(node, token), 401, 'Invalid refresh token')
      }
    }
  })

  test('a refresh token that both nodes use at once has one successor', async () => {
    const { refresh_token } = await one.pair(ann)
    const answers = await crowd(10, (node) =>
      node.call('POST', '/refresh', { form: { refresh_token } }),
    )
    assert.deepEqual(tally(answers), { 200: 10 })
    assert.equal(new Set(answers.map(({ body }) => body.refresh_token)).size, 1)
  })
})

suite('R8: nodes that start at once', async () => {
  test('on an empty database make one schema, one key set and one administrator', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'gatehouse-'))
    const clock = fixedClock()
    const started = await Promise.all(
      [1, 2, 3].map((seed) => testApp({}, { directory, clock, seed, isEmpty: true })),
    )
    const [first, ...others] = started
    assert.ok(first)
    const rows = await first.rows()
    assert.equal(rows.accounts?.length, 1)
    assert.equal(rows.users?.length, 1)
    assert.equal(rows.keys?.length, 3)
    const headers = await first.bearer(first.admin)
    for (const node of others) {
      assert.equal((await node.call('GET', '/api/me', { headers })).status, 200)
    }
    for (const node of started) await node.close()
  })
})

suite('a node that hears nothing of the others', async () => {
  const one = await testApp()
  const deaf = await testApp(
    {},
    {
      directory: one.directory,
      clock: one.clock,
      deps: { feed: deafFeed },
    },
  )
  const status = async (headers = {}) => (await deaf.call('GET', '/api/me', { headers })).status

  test('asks the database for every token: nothing that was revoked is accepted', async () => {
    const headers = await one.bearer(one.admin)
    assert.equal(await status(headers), 200)
    await one.call('POST', '/logout', { headers })
    const parallel = await Promise.all(Array.from({ length: 20 }, () => status(headers)))
    assert.deepEqual(new Set(parallel), new Set([401]))
  })

  test('T59: and accepts none while it cannot ask', async () => {
    const headers = await one.bearer(one.admin)
    assert.equal(await status(headers), 200)
    await deaf.deps.db.schema.alterTable('revocations').renameTo('away').execute()
    assert.ok((await status(headers)) >= 500)
    await deaf.deps.db.schema.alterTable('away').renameTo('revocations').execute()
    assert.equal(await status(headers), 200)
  })
})

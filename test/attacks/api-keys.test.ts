// A database makes a difference: a change ends keys in its transaction, and two nodes share the log.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { systemRandom } from '../../src/core/crypto/random.ts'
import { createKeyText } from '../../src/modules/api-keys/key-text.ts'
import { bearerOf, newKey, serviceAccount } from '../api-keys.ts'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { fixedClock } from '../clock.ts'
import { countedDatabase } from '../counted-database.ts'
import { assertRefusal } from '../refusal.ts'

const dayMs = 86_400_000
const scopes = ['account:read', 'users:*', 'posts:*', 'accounts:*', 'audit:read']
const me = (app: TestApp, headers: Headers) => app.call('GET', '/api/me', { headers })
const flush = (app: TestApp) =>
  app.app.jobs.find(({ name }) => name === 'last use of keys')?.run() ?? assert.fail('no job')

suite('what is no key', async () => {
  const app = await testApp({ LOGIN_ADDRESS_ATTEMPTS: '0' })
  const { key } = await serviceAccount(app, 'program', scopes, ['USER', 'ADMIN'])
  const last = key.at(-1) === 'a' ? 'b' : 'a'
  for (const [what, text] of [
    ['a wrong checksum', key.slice(0, -1) + last],
    ['an unknown one', createKeyText(systemRandom)],
    ['the prefix alone', 'gth_'],
    ['one letter too few', key.slice(0, -1)],
    ['one letter too many', `${key}a`],
    ['another case of the prefix', key.replace('gth_', 'GTH_')],
    ['a letter that is none of base62', `${key.slice(0, -1)}-`],
    ['a key twice', `${key} ${key}`],
    ['two keys in a list', `${key},${key}`],
    ['7 kB', `gth_${'a'.repeat(7000)}`],
    ['a letter beyond ASCII', `gth_ä${'a'.repeat(48)}`],
  ] as const) {
    test(`${what} is refused, and nothing changes`, async () => {
      const before = await app.rows()
      const headers = bearerOf(text)
      assertRefusal(await app.call('GET', '/users', { headers }), 401, 'Invalid or expired token')
      assertRefusal(await me(app, headers), 401, 'Invalid token')
      assert.deepEqual(await app.rows(), before)
    })
  }

  for (const [what, call] of [
    ['in the query', { path: `/api/me?access_token=${key}`, headers: {} }],
    ['in a cookie', { path: '/api/me', headers: { cookie: `JSESSIONID=${key}` } }],
    ['as X-Api-Key', { path: '/api/me', headers: { 'x-api-key': key } }],
    [
      'as Basic',
      { path: '/users', headers: app.basic({ userId: 1, username: 'program', password: key }) },
    ],
    ['by another scheme', { path: '/users', headers: { authorization: `Key ${key}` } }],
  ] as const) {
    test(`a key ${what} opens nothing`, async () => {
      const { status } = await app.call('GET', call.path, { headers: call.headers })
      assert.equal(status, 401)
    })
  }

  test('the key stands neither in the tables nor in the log', async () => {
    assert.equal((await me(app, bearerOf(key))).status, 200)
    assert.ok(!JSON.stringify([await app.rows(), app.log]).includes(key.slice(4, 20)))
  })
})

suite('statements of a request by key', async () => {
  const counted = await countedDatabase()
  const app = await testApp({ LOGIN_ADDRESS_ATTEMPTS: '3' }, counted.options)
  const { key, headers } = await serviceAccount(app, 'program', scopes)
  const statements = async (sent: Headers) =>
    (await counted.during(() => me(app, sent))).count.statements
  await me(app, headers)

  test('none for a known key, also after a week', async () => {
    for (let day = 0; day < 8; day += 1) {
      await me(app, headers)
      assert.equal(await statements(headers), 0)
      app.clock.advance(86_400)
    }
  })

  test('none after a rotation, which leaves the key valid for a while', async () => {
    const admin = app.basic(app.admin)
    const { who, id, headers: old } = await serviceAccount(app, 'rotated', scopes)
    const path = `/api/admin/accounts/${who.username}/keys/${id}/rotate`
    const { body } = await app.call('POST', path, { headers: admin, json: {} })
    for (const sent of [old, bearerOf(body.key)]) {
      assert.equal((await me(app, sent)).status, 200)
      assert.equal(await statements(sent), 0)
    }
  })

  test('none for a wrong checksum, one for an unknown key, none beyond the limit of the address', async () => {
    assert.equal(await statements(bearerOf(key.slice(0, -1))), 0)
    for (let sent = 0; sent < 3; sent += 1) {
      assert.equal(await statements(bearerOf(createKeyText(systemRandom))), 1)
    }
    const { result, count } = await counted.during(() =>
      me(app, bearerOf(createKeyText(systemRandom))),
    )
    assertRefusal(result, 429, 'Too many login attempts')
    assert.equal(result.headers['retry-after'], '3600')
    assert.equal(count.statements, 0)
    assert.equal((await me(app, headers)).status, 200, 'a known key is not limited')
    app.clock.advance(3600)
    assertRefusal(await me(app, bearerOf(createKeyText(systemRandom))), 401, 'Invalid token')
  })

  test('when a key was used is written once a minute, to the minute', async () => {
    const { who, headers: used } = await serviceAccount(app, 'used', scopes)
    const path = `/api/admin/accounts/${who.username}/keys`
    const lastUsed = async () =>
      (await app.call('GET', path, { headers: app.basic(app.admin) })).body[0].last_used_at
    await me(app, used)
    assert.equal(await lastUsed(), null)
    await flush(app)
    const minute = app.clock.now() - (app.clock.now() % 60_000)
    assert.equal(await lastUsed(), new Date(minute).toISOString())
    assert.equal((await counted.during(() => flush(app))).count.statements, 0)
  })
})

test('an address may send three keys to revoke in an hour, known or not', async () => {
  const app = await testApp({ LOGIN_IP_ATTEMPTS: '3' })
  const kept = await serviceAccount(app, 'kept', ['account:read'])
  const leaked = await serviceAccount(app, 'leaked', ['account:read'])
  const revoke = (key: string, from?: string) =>
    app.call('POST', '/api/public/keys/revoke', { json: { key }, ...(from && { from }) })
  const revoked = { message: 'Key revoked, if it was valid' }
  const junk = ['none', kept.key.slice(0, -1), `${kept.key} `, '']
  for (const key of [...junk, ...junk]) {
    const { status, body } = await revoke(key)
    assert.deepEqual([status, body], [200, revoked])
  }
  const unknown = createKeyText(systemRandom)
  for (const key of [unknown, leaked.key, leaked.key]) {
    const { status, body } = await revoke(key)
    assert.deepEqual([status, body], [200, revoked])
  }
  const before = await app.rows()
  for (const key of [kept.key, unknown]) {
    const refused = await revoke(key)
    assertRefusal(refused, 429, 'Too many login attempts')
    assert.equal(refused.headers['retry-after'], '3600')
  }
  assert.deepEqual(await app.rows(), before)
  assert.equal((await revoke('none')).status, 200)
  const statuses = [await me(app, kept.headers), await me(app, leaked.headers)]
  assert.deepEqual(
    statuses.map(({ status }) => status),
    [200, 401],
  )
  assert.equal((await revoke(kept.key, '203.0.113.9')).status, 200)
  assert.equal((await me(app, kept.headers)).status, 401)
  app.clock.advance(3600)
  assert.equal((await revoke(unknown)).status, 200)
})

suite('what ends a key ends it at the next request, on both nodes', async () => {
  const clock = fixedClock(new Date().toISOString())
  const one = await testApp({}, { clock })
  const two = await testApp({}, { directory: one.directory, clock })
  const admin = { headers: one.basic(one.admin) }
  let count = 0
  const program = async () => {
    const made = await serviceAccount(one, `program-${++count}`, scopes, ['USER', 'EDITOR'])
    for (const node of [one, two]) {
      for (let times = 0; times < 2; times += 1) {
        assert.equal((await me(node, made.headers)).status, 200)
      }
    }
    return { ...made, path: `/api/admin/accounts/${made.who.username}` }
  }
  const change = (path: string, json: object) => one.call('PUT', path, { ...admin, json })
  type Made = Awaited<ReturnType<typeof program>>

  const ends: readonly (readonly [string, (made: Made) => Promise<{ status: number }>])[] = [
    ['its revocation', ({ path, id }) => one.call('DELETE', `${path}/keys/${id}`, admin)],
    [
      'its revocation by itself',
      ({ key }) => one.call('POST', '/api/public/keys/revoke', { json: { key } }),
    ],
    ['a lock', ({ path }) => change(path, { locked: true })],
    ['a disabling', ({ path }) => change(path, { active: false })],
    ['the end of everything', ({ path }) => one.call('DELETE', `${path}/sessions`, admin)],
    ['the deletion of the account', ({ path }) => one.call('DELETE', path, admin)],
    ['the erasure of the user', ({ who }) => one.call('DELETE', `/users/${who.userId}`, admin)],
    [
      'a rotation without overlap',
      async ({ path, id }) => {
        const json = { overlap_seconds: 0 }
        const { status } = await one.call('POST', `${path}/keys/${id}/rotate`, { ...admin, json })
        return { status: status === 201 ? 200 : status }
      },
    ],
  ]
  for (const [what, end] of ends) {
    test(`${what}`, async () => {
      const made = await program()
      assert.equal((await end(made)).status, 200)
      for (const node of [two, one])
        assertRefusal(await me(node, made.headers), 401, 'Invalid token')
    })
  }

  test('a lock that is lifted, and roles that are given back, leave the key', async () => {
    const { headers, path } = await program()
    for (const flag of [{ locked: true }, { active: false }]) {
      await change(path, flag)
      assert.equal((await me(two, headers)).status, 401)
      await change(path, { locked: false, active: true })
      assert.equal((await me(two, headers)).status, 200)
    }
    await change(path, { roles: ['USER'] })
    assert.deepEqual((await me(two, headers)).body.roles, ['USER'])
    await change(path, { roles: ['USER', 'EDITOR', 'ADMIN'] })
    assert.deepEqual((await me(two, headers)).body.roles, ['USER', 'EDITOR'])
  })

  test('the automatic lock refuses no key', async () => {
    const { headers, who } = await program()
    await one.deps.db
      .updateTable('accounts')
      .set({ locked_until: clock.now() + dayMs })
      .where('user_id', '=', who.userId)
      .execute()
    assert.equal((await me(two, headers)).status, 200)
  })

  test('a rotated key is valid for a day, and its successor beside it', async () => {
    const { headers, id, path } = await program()
    const rotated = await one.call('POST', `${path}/keys/${id}/rotate`, { ...admin, json: {} })
    const next = bearerOf(rotated.body.key)
    clock.advance(86_399)
    for (const sent of [headers, next]) assert.equal((await me(two, sent)).status, 200)
    clock.advance(1)
    assertRefusal(await me(two, headers), 401, 'Invalid token')
    assert.equal((await me(two, next)).status, 200)
  })

  test('of several rotations at once one counts', async () => {
    const { id, path } = await program()
    const rotate = (node: TestApp) =>
      node.call('POST', `${path}/keys/${id}/rotate`, { ...admin, json: { overlap_seconds: 0 } })
    const statuses = (await Promise.all([one, two, one, two].map(rotate))).map(
      ({ status }) => status,
    )
    assert.deepEqual(statuses.toSorted(), [201, 404, 404, 404])
    const { body } = await one.call('GET', `${path}/keys`, admin)
    assert.equal(body.length, 1)
  })

  test('a key ends by itself, without a statement', async () => {
    const { who } = await program()
    const { headers } = await newKey(one, who.username, {
      name: 'short',
      scopes,
      expires_in_days: 1,
    })
    assert.equal((await me(two, headers)).status, 200)
    clock.advance(86_400)
    assertRefusal(await me(two, headers), 401, 'Invalid token')
    assertRefusal(await me(one, headers), 401, 'Invalid token')
  })
})

// A database makes a difference: the end of a key is told once, by whichever node finds it first.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { systemRandom } from '../../src/core/crypto/random.ts'
import { maxKeys } from '../../src/modules/api-keys/api-keys.ts'
import { createKeyText, isKeyText } from '../../src/modules/api-keys/key-text.ts'
import { scopesIn } from '../../src/modules/api-keys/scopes.ts'
import { modules } from '../../src/modules.ts'
import { bearerOf, newKey, serviceAccount } from '../api-keys.ts'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { newCaller, requestOf, shownRoutes, worldOf } from '../examples.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { verifyAddress } from '../mail.ts'
import { assertRefusal } from '../refusal.ts'

const every = scopesIn(modules)
  .of('key')
  .filter((scope) => scope.endsWith(':*'))
const allRoles = ['USER', 'EDITOR', 'ADMIN'] as const

test('a key has a prefix, 256 bits in base62 and their CRC-32', () => {
  const made = Array.from({ length: 200 }, () => createKeyText(systemRandom))
  assert.equal(new Set(made).size, 200)
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  for (const text of made) {
    assert.match(text, /^gth_[0-9A-Za-z]{49}$/)
    assert.ok(isKeyText(text))
    const sum = [...text.slice(47)].reduce((sum, one) => sum * 62 + alphabet.indexOf(one), 0)
    assert.equal(sum, crc32(text.slice(4, 47)))
  }
  assert.ok(
    isKeyText('gth_0000000000000000000000000000000000000000000000RVr3g'.slice(0, 47) + sumOf()),
  )
  function sumOf() {
    let text = ''
    for (let rest = crc32('0'.repeat(43)); rest > 0; rest = Math.floor(rest / 62)) {
      text = alphabet[rest % 62] + text
    }
    return text.padStart(6, '0')
  }
})

suite('service accounts', async () => {
  const app = await testApp()
  const headers = app.basic(app.admin)
  const path = '/api/admin/accounts'
  const create = (json: object) => app.call('POST', path, { headers, json })
  const robot = { username: 'robot', service: true, roles: ['USER'], name: 'Nightly report' }

  test('an account without password, of a user whose address reaches no one', async () => {
    const { status, body } = await create(robot)
    assert.deepEqual([status, body.username, body.roles], [201, 'robot', ['USER']])
    const user = await app.call('GET', `/users/${body.user_id}`, { headers })
    assert.deepEqual(user.body, {
      id: body.user_id,
      name: 'Nightly report',
      email: 'robot@service.invalid',
    })
    const rows = await app.rows()
    assert.ok(!JSON.stringify(rows.passwords).includes(`"account":${body.user_id},`))
    assert.equal(rows.mails?.length ?? 0, 0)
  })

  for (const [more, path, message] of [
    [{ password: 'melons nobody sails' }, 'password', 'must be absent for a service account'],
    [{ must_change: true }, 'must_change', 'must be absent for a service account'],
    [{ user_id: 1 }, 'user_id', 'must be absent for a service account'],
    [{ email: 'robot@example.org' }, 'email', 'must be absent for a service account'],
    [
      { username: 'a b' },
      'username',
      'must have letters, digits, ".", "_" and "-" alone for a service',
    ],
    [{ service: false, email: 'r@example.org' }, 'password', 'is required'],
  ] as const) {
    test(`it is refused with ${JSON.stringify(more)}`, async () => {
      const before = await app.rows()
      const answer = await create({ ...robot, username: 'other', ...more })
      assertRefusal(answer, 400, 'Validation failed', '', { details: [{ path: [path], message }] })
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('it cannot sign in, and gets no password', async () => {
    const before = await app.rows()
    for (const password of ['', 'melons nobody sails']) {
      const json = { username: 'robot', password }
      const { status } = await app.call('POST', '/login', { json })
      assert.ok(status === 401 || status === 400)
    }
    const json = { password: 'melons nobody sails' }
    const changed = await app.call('PUT', `${path}/robot`, { headers, json })
    assertRefusal(changed, 403, 'Access denied')
    const reset = await app.call('POST', `${path}/robot/password`, { headers })
    assertRefusal(reset, 403, 'Access denied')
    assert.deepEqual((await app.rows()).passwords, before.passwords)
  })
})

suite('keys', async () => {
  const app = await testApp({ ROLES: 'BILLING' })
  const headers = app.basic(app.admin)
  const { who } = await serviceAccount(app, 'robot', ['users:read'], ['USER', 'EDITOR'])
  const path = '/api/admin/accounts/robot/keys'
  const create = (json: object, by: Headers = headers) =>
    app.call('POST', path, { headers: by, json })

  test('a key is told once, and its list has all but its text', async () => {
    const json = { name: 'nightly report', scopes: ['users:read', 'posts:*'], roles: ['USER'] }
    const { status, body } = await create(json)
    const { key, ...shown } = body
    const now = app.clock.now()
    assert.equal(status, 201)
    assert.deepEqual(shown, {
      ...{
        id: shown.id,
        name: 'nightly report',
        scopes: ['posts:*', 'users:read'],
        roles: ['USER'],
      },
      created_at: new Date(now).toISOString(),
      expires_at: new Date(now + 90 * 86_400_000).toISOString(),
      last_used_at: null,
    })
    const list = await app.call('GET', path, { headers })
    assert.deepEqual(
      list.body.find(({ id }: { id: string }) => id === shown.id),
      shown,
    )
    const me = await app.call('GET', '/users', { headers: bearerOf(key) })
    assert.equal(me.status, 200)
  })

  for (const [json, field, message] of [
    [{ scopes: ['users:read'] }, ['name'], 'is required'],
    [{ name: 'a' }, ['scopes'], 'is required'],
    [{ name: '\u0000', scopes: ['users:read'] }, ['name'], undefined],
    [
      { name: ' ', scopes: ['users:read'] },
      ['name'],
      'must have a letter, and no control character',
    ],
    [
      { name: 'a\u202eb', scopes: ['users:read'] },
      ['name'],
      'must have a letter, and no control character',
    ],
    [{ name: 'a', scopes: [] }, ['scopes'], undefined],
    [{ name: 'a', scopes: ['keys:write'] }, ['scopes', '0'], undefined],
    [{ name: 'a', scopes: ['*'] }, ['scopes', '0'], undefined],
    [{ name: 'a', scopes: ['users:read users:write'] }, ['scopes', '0'], undefined],
    [
      { name: 'a', scopes: ['users:read'], roles: ['ADMIN'] },
      ['roles'],
      'must be roles of the account',
    ],
    [{ name: 'a', scopes: ['users:read'], roles: ['NONE'] }, ['roles', '0'], undefined],
    [{ name: 'a', scopes: ['users:read'], expires_in_days: 0 }, ['expires_in_days'], undefined],
    [{ name: 'a', scopes: ['users:read'], expires_in_days: 1e9 }, ['expires_in_days'], undefined],
    [{ name: 'a', scopes: ['users:read'], expires_in_days: 'x' }, ['expires_in_days'], undefined],
  ] as const) {
    test(`${JSON.stringify(json)} is refused`, async () => {
      const before = await app.rows()
      const { status, body } = await create(json)
      assert.deepEqual([status, body.error], [400, 'Validation failed'])
      assert.deepEqual(body.details[0].path, field)
      if (message) assert.equal(body.details[0].message, message)
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('what a key does is recorded with the id of the key', async () => {
    const {
      headers: byKey,
      id,
      key,
    } = await serviceAccount(app, 'scribe', ['users:write'], ['ADMIN'])
    const json = { name: 'Ann Lee', email: 'ann@example.org' }
    const made = await app.call('POST', '/users', { headers: byKey, json })
    assert.equal(made.status, 201)
    const { body } = await app.call('GET', '/api/admin/audit?actor=scribe', { headers })
    type Record = Readonly<{ scheme: string; key: string; token: null; route: string }>
    assert.deepEqual(
      body.data.map(({ scheme, key: of, token, route }: Record) => [scheme, of, token, route]),
      [['key', id, null, '/users']],
    )
    assert.ok(!JSON.stringify(body).includes(key.slice(4)))
  })

  test('for a person an administrator makes none', async () => {
    await app.account('ann')
    const before = await app.rows()
    const json = { name: 'a', scopes: ['users:read'] }
    const path = '/api/admin/accounts/ann/keys'
    assertRefusal(await app.call('POST', path, { headers, json }), 403, 'Access denied')
    const rotated = await app.call('POST', `${path}/none/rotate`, { headers, json: {} })
    assertRefusal(rotated, 403, 'Access denied')
    assert.deepEqual(await app.rows(), before)
  })

  test('what is no key of the account: 404', async () => {
    const other = await serviceAccount(app, 'other', ['users:read'])
    for (const id of ['none', other.id, '%00', '..%2f']) {
      for (const [method, rest] of [
        ['DELETE', ''],
        ['POST', '/rotate'],
      ] as const) {
        const answer = await app.call(method, `${path}/${id}${rest}`, { headers })
        assertRefusal(answer, 404, 'Key not found')
      }
    }
  })

  test('whoever knows a key revokes it; the answer says nothing', async () => {
    const { key, headers: leaked } = await newKey(app, 'robot', {
      name: 'a',
      scopes: ['users:read'],
    })
    const revoke = (json: object) => app.call('POST', '/api/public/keys/revoke', { json })
    const answers = await Promise.all([
      revoke({ key: createKeyText(systemRandom) }),
      revoke({ key: 'none' }),
      revoke({ key }),
      revoke({ key }),
    ])
    for (const { status, body } of answers) {
      assert.deepEqual([status, body], [200, { message: 'Key revoked, if it was valid' }])
    }
    assertRefusal(
      await app.call('GET', '/users', { headers: leaked }),
      401,
      'Invalid or expired token',
    )
    for (const json of [{}, { key: 1 }, { key: 'x'.repeat(257) }, [], { key: null }]) {
      assert.equal((await revoke(json)).status, 400)
    }
  })

  test('an operator is told whether a key passes, and why not', async () => {
    const {
      id,
      key,
      headers: sent,
    } = await newKey(app, 'robot', {
      name: 'a',
      scopes: ['users:read'],
    })
    const explain = async (token: string) =>
      (await app.call('POST', '/api/admin/explain', { headers, json: { token } })).body
    const { of, passes, username } = await explain(key)
    assert.deepEqual([of, passes, username], ['key', true, 'robot'])
    await app.call('DELETE', `${path}/${id}`, { headers })
    assert.deepEqual((await explain(key)).code, 'key_unknown')
    assert.deepEqual((await explain(`${key}a`)).code, 'key_malformed')
    const refused = await app.call('GET', '/users', { headers: sent })
    const why = `/api/admin/explain/${refused.headers['x-request-id']}`
    assert.equal((await app.call('GET', why, { headers })).body.code, 'key_unknown')
  })

  test('an account has at most so many keys', async () => {
    const full = await serviceAccount(app, 'full', ['users:read'])
    const row = await app.deps.db
      .selectFrom('api_keys')
      .selectAll()
      .where('id', '=', full.id)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: maxKeys - 1 }, (_, index) => ({
      ...row,
      id: `copy-${index}`,
      digest: `copy-${index}`,
    }))
    await app.deps.db.insertInto('api_keys').values(rows).execute()
    const before = await app.rows()
    const base = '/api/admin/accounts/full/keys'
    const json = { name: 'a', scopes: ['users:read'] }
    assertRefusal(await app.call('POST', base, { headers, json }), 409, 'Too many keys')
    const rotated = await app.call('POST', `${base}/${full.id}/rotate`, { headers, json: {} })
    assertRefusal(rotated, 409, 'Too many keys')
    assert.deepEqual(await app.rows(), before)
    assert.ok(who)
  })
})

suite('scopes bind every route', async () => {
  const app = await testApp()
  const { headers } = await serviceAccount(app, 'robot', every, allRoles)
  const world = await worldOf(app)
  const caller = await newCaller(world, 'bearer')
  const bare = await serviceAccount(app, 'reader', ['users:read'], allRoles)

  for (const route of shownRoutes(app)) {
    if (!route.schemes.split(',').includes('bearer') || route.rule === 'anyone') continue
    test(`${route.name}: ${route.scope ?? 'no key'}`, async () => {
      const made = (await route.example.make?.(world, caller)) ?? {}
      const request = requestOf(route, made, { headers })
      const before = await app.rows()
      const { method, path, ...call } = request
      if (route.scope !== 'users:read') {
        const sent = { ...call, headers: { ...call.headers, ...bare.headers } }
        const refused = await app.call(method, path, sent)
        assertRefusal(refused, 403, 'Access denied')
        const lacked = `Bearer realm="API", error="insufficient_scope", scope="${route.scope}"`
        assert.equal(refused.headers['www-authenticate'], route.scope && lacked)
        assert.deepEqual(await app.rows(), before)
      }
      const answer = await app.call(method, path, {
        ...call,
        headers: { ...call.headers, ...headers },
      })
      if (route.scope) assert.ok(![401, 403].includes(answer.status), answer.text)
      else {
        assertRefusal(answer, 403, 'Access denied')
        assert.deepEqual(await app.rows(), before)
      }
    })
  }

  test('no scope covers what changes credentials, roles or settings', () => {
    const scoped = shownRoutes(app).filter(({ scope }) => scope)
    const never =
      /password|factor|session|keys|totp|recovery|roles|clients|settings|backup|restore|import|export\/|identit|email/
    assert.deepEqual(
      scoped.map(({ name }) => name).filter((name) => never.test(name)),
      [],
    )
    assert.ok(!scoped.some(({ name }) => name === 'PUT /api/admin/accounts/:username'))
    assert.ok(scoped.length > 20)
  })

  test('a key makes accounts, but no administrator', async () => {
    const create = (username: string, roles: string[]) =>
      app.call('POST', '/api/admin/accounts', {
        headers,
        json: {
          username,
          password: 'melons nobody sails',
          roles,
          name: 'A',
          email: 'a@example.org',
        },
      })
    assert.equal((await create('made', ['USER'])).status, 201)
    const before = await app.rows()
    assertRefusal(await create('never', ['ADMIN']), 401, 'Recent login required')
    assert.deepEqual(await app.rows(), before)
  })
})

test('tokens of a provider open each route as before, whatever their scopes', async () => {
  const idp = await identityProvider()
  const app = await testApp(settingsFor(idp), { clock: clockOfToday() })
  idp.clock = app.clock
  const world = await worldOf(app)
  const caller = await newCaller(world, 'bearer')
  const answers: string[] = []
  for (const route of shownRoutes(app)) {
    if (route.method !== 'GET' || !route.schemes.split(',').includes('bearer')) continue
    if (route.rule === 'anyone') continue
    const statuses: number[] = []
    for (const scope of [undefined, '', 'other', 'users:read']) {
      const claims = idp.claims({
        sub: 'ann',
        roles: [...allRoles],
        ...(scope !== undefined && { scope }),
      })
      const headers = { authorization: `Bearer ${idp.signed(claims)}` }
      const made = (await route.example.make?.(world, caller)) ?? {}
      const { method, path, ...call } = requestOf(route, made, { headers })
      statuses.push((await app.call(method, path, { ...call, headers })).status)
    }
    if (new Set(statuses).size > 1) answers.push(`${route.name}: ${statuses}`)
  }
  assert.deepEqual(answers, [])
})

suite('the end of a key', async () => {
  const app = await testApp({ SMTP_URL: 'smtp+insecure://127.0.0.1:1', MAIL_FROM: 'g@example.org' })
  const run = (of: TestApp, job: string) =>
    of.app.jobs.find(({ name }) => name === job)?.run() ?? assert.fail(job)

  test('who made it is told a week before, once', async () => {
    const boss = await app.account('boss', ['ADMIN'])
    await verifyAddress(app, boss, 'boss@example.org')
    await serviceAccount(app, 'robot', ['users:read'])
    const json = { name: 'a', scopes: ['users:read'], expires_in_days: 30 }
    const path = '/api/admin/accounts/robot/keys'
    const { body } = await app.call('POST', path, { headers: app.basic(boss), json })
    const told = async () =>
      (await app.call('GET', '/api/account/notices', { headers: app.basic(boss) })).body
    await run(app, 'ends of keys')
    assert.deepEqual(await told(), [])
    app.clock.advance(23 * 86_400)
    for (let times = 0; times < 2; times += 1) await run(app, 'ends of keys')
    const [notice, ...more] = await told()
    assert.deepEqual([notice.type, notice.facts.by, more], ['key_expiring', 'service', []])
    const event = app.log.findLast((line) => line.event === 'api_key_expiring')
    assert.deepEqual([event?.key_id, event?.told], [body.id, boss.userId])
    assert.equal((await app.rows()).mails?.length, 1)
  })

  test('an expired key is kept for a month', async () => {
    const { body } = await app.call('GET', '/api/admin/accounts/robot/keys', {
      headers: app.basic(app.admin),
    })
    app.clock.advance(7 * 86_400 + 30 * 86_400)
    await run(app, 'expired keys')
    const after = await app.call('GET', '/api/admin/accounts/robot/keys', {
      headers: app.basic(app.admin),
    })
    assert.deepEqual([body.length, after.body.length], [2, 1])
  })
})

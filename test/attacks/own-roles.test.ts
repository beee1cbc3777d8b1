import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { ConfigError } from '../../src/core/config/load.ts'
import { type Headers, passwordOf, type Someone, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { loadConfig } from '../config.ts'
import { heard } from '../database.ts'
import { accessClaims, forge, hs256, payloadOf } from '../forge.ts'
import { clockOfToday, identityProvider, settingsFor } from '../identity-provider.ts'
import { assertRefusal } from '../refusal.ts'
import { testBrowser } from '../test-browser.ts'
import { importLines, line } from '../transfer.ts'

/** What a start says of settings. */
function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(env)
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes
    throw error
  }
  return []
}

suite('ROLES that could be taken for something else', () => {
  const format =
    'a name is 1 to 32 capital letters, digits and _, begins with a letter, and not with ROLE_'
  for (const name of [
    'admin',
    'Support',
    'ＡＤＭＩＮ',
    'АDMIN', // the first letter is Cyrillic
    'ADMIN\u200b',
    'ROLE_SUPPORT',
    'ROLE_ADMIN',
    'ROLE_ROLE_ADMIN',
    'ROLE_',
    '_SUPPORT',
    '1SUPPORT',
    'SUP-PORT',
    'SUP PORT',
    'SUP%',
    "'; drop table accounts; --",
    'A'.repeat(33),
    '__proto__',
    'constructor',
  ]) {
    test(`${JSON.stringify(name)} is a mistake, beside good names as well`, () => {
      const mistake = `ROLES holds ${JSON.stringify(name)}: ${format}`
      assert.deepEqual(mistakesOf({ ROLES: name }), [mistake])
      assert.deepEqual(mistakesOf({ ROLES: `SUPPORT,${name}` }), [mistake])
    })
  }

  test('a role of the contract is a mistake: it exists, and cannot be ordered anew', () => {
    for (const name of ['USER', 'EDITOR', 'ADMIN']) {
      const mistake = `ROLES holds ${name}, which every installation has`
      assert.deepEqual(mistakesOf({ ROLES: `SUPPORT,${name}` }), [mistake])
    }
    assert.deepEqual(mistakesOf({ ROLES: 'ADMIN,' }), [
      'ROLES holds ADMIN, which every installation has',
    ])
  })

  test('a name twice is a mistake, and so are more than 64', () => {
    assert.deepEqual(mistakesOf({ ROLES: 'A,B,A,B,A' }), [
      'ROLES holds A twice',
      'ROLES holds B twice',
    ])
    const names = Array.from({ length: 65 }, (_, index) => `R${index}`)
    assert.deepEqual(mistakesOf({ ROLES: names.join() }), ['ROLES must hold at most 64 names'])
    assert.deepEqual(loadConfig({ ROLES: names.slice(1).join() }).roles.length, 67)
  })

  test('none, 32 letters, and names of rules are roles like any other', () => {
    for (const none of ['', ',', ' , ']) {
      assert.deepEqual(loadConfig({ ROLES: none }).roles, ['USER', 'EDITOR', 'ADMIN'])
    }
    const names = ['A'.repeat(32), 'OWNER', 'ANYONE', 'AUTHENTICATED', 'SCOPE', 'SUPERADMIN', 'A_B']
    assert.deepEqual(loadConfig({ ROLES: names.join(' , ') }).roles.slice(3), names)
  })

  test('other settings may name roles that exist, and are told of those that do not', () => {
    const provider = {
      OIDC_ISSUER: 'https://id.example.org',
      OIDC_CLIENT_ID: 'app',
      OIDC_PROVIDERS: 'acme',
      OIDC_ACME_ISSUER: 'https://acme.example.org',
      OIDC_ACME_AUDIENCE: 'here',
    }
    const named = {
      ...provider,
      REQUIRE_SECOND_FACTOR: 'ADMIN,SUPPORT',
      OIDC_DEFAULT_ROLES: 'USER,ROLE_SUPPORT',
      OIDC_ROLES_ALLOWED: 'SUPPORT',
      OIDC_ACME_ROLES_ALLOWED: 'BILLING',
    }
    const { providers, secondFactor } = loadConfig({ ...named, ROLES: 'BILLING,SUPPORT' })
    assert.deepEqual(secondFactor.requiredOf, ['ADMIN', 'SUPPORT'])
    const three = ['USER', 'EDITOR', 'ADMIN']
    assert.deepEqual(
      providers.map(({ allowedRoles }) => allowedRoles),
      [
        [...three, 'SUPPORT'],
        [...three, 'BILLING'],
      ],
    )
    assert.deepEqual(providers[0]?.client?.defaultRoles, ['USER', 'SUPPORT'])
    assert.deepEqual(mistakesOf({ ...named, ROLES: 'OTHER' }), [
      'REQUIRE_SECOND_FACTOR holds "SUPPORT", which is not a role',
      'OIDC_DEFAULT_ROLES holds "SUPPORT", which is not a role',
      'OIDC_ROLES_ALLOWED holds "SUPPORT", which is not one of ROLES',
      'OIDC_ACME_ROLES_ALLOWED holds "BILLING", which is not one of ROLES',
    ])
    // What ROLES would have named is not known.
    assert.equal(mistakesOf({ ...named, ROLES: 'SUPPORT,billing' }).length, 1)
    assert.deepEqual(mistakesOf({ ...provider, OIDC_ROLES_ALLOWED: 'ADMIN' }), [
      'OIDC_ROLES_ALLOWED holds "ADMIN", which is not one of ROLES',
    ])
  })
})

suite('own roles under attack', async () => {
  const secret = 'a secret for tests that is long enough: 8f3k'
  const rules = [
    'OWNER',
    'ANYONE',
    'AUTHENTICATED',
    'UNLOCKED',
    'SUPERADMIN',
    'ADMIN_',
    'XADMINX',
    'A_B',
  ]
  const env = { TOKEN_SECRET: secret, ROLES: rules.join() }
  const app = await testApp(env)
  const admin = app.basic(app.admin)
  const read = (path: string, headers: Headers) => app.call('GET', path, { headers })
  const put = (name: string, roles: readonly string[]) =>
    app.call('PUT', `/api/admin/accounts/${name}`, { headers: admin, json: { roles } })
  const forged = (roles: unknown) => ({
    authorization: `Bearer ${forge({ alg: 'HS256', typ: 'JWT' }, accessClaims(app, { roles }), hs256(secret))}`,
  })
  const ann = await app.account('ann', rules as (typeof app.deps.config.roles)[number][])

  test('named like a rule, or with ADMIN in their names, they open nothing', async () => {
    for (const headers of [await app.bearer(ann), await app.session(ann), app.basic(ann)]) {
      for (const path of ['/api/admin/accounts', '/api/admin/statistics', '/api/admin/none'])
        assertRefusal(await read(path, headers), 403, 'Access denied', path)
      for (const path of [
        '/api/editor/posts',
        '/api/user/account',
        '/api/posts',
        '/users',
        '/users/1',
      ])
        assertRefusal(await read(path, headers), 403, 'Access denied', path)
    }
  })

  test('a caller with them gives no roles, to itself least of all', async () => {
    const before = await app.rows()
    for (const headers of [await app.bearer(ann), app.basic(ann)]) {
      const sent = { headers, json: { roles: ['ADMIN'] } }
      const answer = await app.call('PUT', '/api/admin/accounts/ann', sent)
      assertRefusal(answer, 403, 'Access denied')
    }
    assert.deepEqual((await app.rows()).accounts, before.accounts)
  })

  test('the last ADMIN is not replaced by one whose role has ADMIN in its name', async () => {
    const bearer = await app.bearer(app.admin) // a login, whose time the account keeps
    const before = await app.rows('throttle_places')
    for (const [method, path, json] of [
      ['PUT', '/api/admin/accounts/admin', { roles: ['USER', 'SUPERADMIN'] }],
      ['PUT', '/api/admin/accounts/admin', { locked: true }],
      ['DELETE', '/api/admin/accounts/admin', undefined],
      ['DELETE', '/users/1', undefined],
    ] as const) {
      const answer = await app.call(method, path, { headers: bearer, json })
      assertRefusal(answer, 409, 'Last administrator', `${method} ${path}`)
    }
    assert.deepEqual(await app.rows('throttle_places'), before)
    assert.equal((await read('/api/admin/statistics', bearer)).body.accounts.by_role.ADMIN, 1)
  })

  test('a filter by one finds its name alone: no part of it, and no pattern', async () => {
    await put('ann', ['XADMINX', 'ADMIN_', 'SUPERADMIN'])
    const list = async (role: string) => {
      const ran = await gatehouse(app.directory, `account list --role ${role} --json`, { env })
      return JSON.parse(ran.stdout).map(({ username }: Someone) => username)
    }
    assert.deepEqual(await list('ADMIN'), ['admin'])
    assert.deepEqual(await list('A_B'), [])
    assert.deepEqual(await list('ADMIN_'), ['ann'])
    await put('ann', rules)
  })

  test('what is no role by its letters is refused wherever a role is given', async () => {
    const before = await app.rows('imports', 'import_names', 'throttle_places')
    const bearer = await app.bearer(app.admin)
    for (const name of [
      'ADMIN,',
      'USER,ADMIN',
      'ROLE_ROLE_ADMIN',
      'ROLE_ROLE_OWNER',
      'role_OWNER',
      'admin',
      'owner',
      'ＡＤＭＩＮ',
      'OWNER ',
      ' OWNER',
      'OWNER\0',
      '',
      'ROLE_',
      'SUPPORT',
      '%',
      'A%B',
    ]) {
      const about = JSON.stringify(name)
      const refused = await put('ann', ['USER', name])
      assert.deepEqual([refused.status, refused.body.error], [400, 'Validation failed'], about)
      assert.deepEqual(refused.body.details[0].path, ['roles', '1'], about)
      const imported = await importLines(app, bearer, [line('eve', { roles: [name] })])
      assert.deepEqual([imported.status, imported.body.error], [400, 'Validation failed'], about)
    }
    const long = await put('ann', ['A'.repeat(38)])
    assert.equal(long.status, 400)
    assert.deepEqual(await app.rows('imports', 'import_names', 'throttle_places'), before)
  })

  test('64 roles of 32 letters fit into an account, a token and a session', async () => {
    const names = Array.from({ length: 64 }, (_, index) => `R${index}_`.padEnd(32, 'X'))
    const many = await testApp({ ROLES: names.join() })
    const eve = await many.account('eve', [], { roles: names.map((name) => `ROLE_${name}`) })
    for (const headers of [await many.bearer(eve), await many.session(eve)]) {
      const { body } = await many.call('GET', '/api/account', { headers })
      assert.deepEqual(body.roles, names)
    }
  })

  test('a signed token with names that are no roles any more has the others; else it is refused', async () => {
    const mine = await read('/api/me', forged(['SUPPORT', 'ROLE_A_B', 'OWNER', 'USER', 'OWNER']))
    assert.deepEqual([mine.status, mine.body.roles], [200, ['USER', 'OWNER', 'A_B']])
    for (const name of ['SUPPORT', 'ADMIN_2', 'ROLE_SUPPORT', 'ADMINISTRATOR']) {
      assert.deepEqual((await read('/api/me', forged([name]))).body.roles, [], name)
      assertRefusal(await read('/api/admin/accounts', forged([name])), 403, 'Access denied', name)
    }
    for (const name of [
      'ADMIN,',
      'ROLE_ROLE_OWNER',
      'owner',
      'A'.repeat(33),
      '',
      'ＡＤＭＩＮ',
      'A\n',
    ])
      assertRefusal(await read('/users', forged([name])), 401, 'Invalid or expired token', name)
  })
})

suite('own roles and a provider', async () => {
  const idp = await identityProvider()
  const clock = clockOfToday()
  const ROLES = 'BILLING,SUPPORT'
  const claimed = ['SUPPORT', 'USER', 'ROLE_BILLING', 'SALES']
  const rolesOf = async (env: Record<string, string>, roles: unknown = claimed) => {
    const app = await testApp(settingsFor(idp, env), { clock })
    const authorization = `Bearer ${idp.signed(idp.claims({ roles }))}`
    const { status, body } = await app.call('GET', '/api/me', { headers: { authorization } })
    assert.equal(status, 200)
    return body.roles
  }

  test('its tokens give none, unless OIDC_ROLES_ALLOWED names them', async () => {
    assert.deepEqual(await rolesOf({ ROLES }), ['USER'])
    assert.deepEqual(await rolesOf({ ROLES, OIDC_ROLES_ALLOWED: 'SUPPORT' }), ['USER', 'SUPPORT'])
    const all = { ROLES, OIDC_ROLES_ALLOWED: 'SUPPORT,BILLING' }
    assert.deepEqual(await rolesOf(all), ['USER', 'BILLING', 'SUPPORT'], 'in the order of ROLES')
    for (const roles of ['SUPPORT', [['SUPPORT']], ['support'], ['SUPPORT,BILLING'], [' SUPPORT']])
      assert.deepEqual(await rolesOf(all, roles), [], JSON.stringify(roles))
  })

  test('a sign-up through it gets none of them either, unless they are allowed or the default', async () => {
    const signUp = async (more: Record<string, string>, person: object) => {
      idp.person = { sub: 'hal', email: 'hal@example.org', ...person }
      const env = settingsFor(idp, { ROLES, OIDC_SCOPE: 'openid email roles', ...more })
      const app = await testApp(env, { clock })
      const browser = testBrowser(app)
      await browser.open('/oauth/login')
      return (await browser.call('GET', '/api/session')).body.roles
    }
    assert.deepEqual(await signUp({}, { roles: claimed }), ['USER'])
    const allowed = { OIDC_ROLES_ALLOWED: 'BILLING' }
    assert.deepEqual(await signUp(allowed, { roles: claimed }), ['USER', 'BILLING'])
    assert.deepEqual(await signUp({ OIDC_DEFAULT_ROLES: 'SUPPORT' }, {}), ['SUPPORT'])
  })
})

suite('a role that ROLES has lost at a restart', async () => {
  const app = await testApp({ ROLES: 'SUPPORT' })
  const someone = await app.account('ann', ['USER'], { roles: ['USER', 'SUPPORT'] })
  const held = { session: await app.session(someone), bearer: await app.bearer(someone) }
  const later = await testApp({}, { directory: app.directory, clock: app.clock })

  for (const [scheme, headers] of Object.entries(held)) {
    test(`${scheme}: goes on without it, and the change that it makes is allowed`, async () => {
      await heard(later)
      const { status, body } = await later.call('GET', '/api/account', { headers })
      assert.deepEqual([status, body.roles], [200, ['USER']])
      const sent = { headers, json: { name: `By ${scheme}` } }
      assert.equal((await later.call('PUT', `/users/${someone.userId}`, sent)).status, 200)
    })
  }

  test('it stays in the database, and no login grants it', async () => {
    const json = { username: 'ann', password: passwordOf('ann'), mode: 'token' }
    const { body } = await later.call('POST', '/login', { json })
    assert.deepEqual(payloadOf(body.token).roles, ['USER'])
    const back = await app.call('POST', '/login', { json })
    assert.deepEqual(payloadOf(back.body.token).roles, ['USER', 'SUPPORT'])
  })
})

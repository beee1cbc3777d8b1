import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, passwordOf, type Someone, testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { heard } from '../database.ts'
import { payloadOf } from '../forge.ts'
import { assertRefusal } from '../refusal.ts'
import { importLines, line, readLines } from '../transfer.ts'

/** An operator's own roles: `ROLES`, beside USER, EDITOR and ADMIN. docs/adr/0031 */
suite('own roles', async () => {
  const env = { ROLES: 'SUPPORT,BILLING,A_1' }
  const app = await testApp(env)
  const admin = app.basic(app.admin)
  const post = (json: object) => app.call('POST', '/api/admin/accounts', { headers: admin, json })
  const put = (name: string, json: object) =>
    app.call('PUT', `/api/admin/accounts/${name}`, { headers: admin, json })
  const json = (name: string, roles: readonly string[]) => ({
    username: name,
    password: passwordOf(name),
    roles,
    name,
    email: `${name}@example.org`,
  })
  const as = (name: string): Someone => ({ userId: 0, username: name, password: passwordOf(name) })
  const read = (path: string, headers: Headers) => app.call('GET', path, { headers })
  const run = async (words: string, more = {}) => {
    const ran = await gatehouse(app.directory, words, { env, ...more })
    await heard(app)
    return ran
  }

  test('the first administrator has the three of the contract alone', async () => {
    const { body } = await read('/api/account', admin)
    assert.deepEqual(body.roles, ['USER', 'EDITOR', 'ADMIN'])
  })

  test('an account is given them, with or without ROLE_, and shows them behind the three', async () => {
    const made = await post(json('ann', ['A_1', 'ROLE_BILLING', 'USER', 'BILLING', 'SUPPORT']))
    assert.equal(made.status, 201)
    assert.deepEqual(made.body.roles, ['USER', 'SUPPORT', 'BILLING', 'A_1'])
    assert.deepEqual((await read('/api/admin/accounts/ann', admin)).body, made.body)
    const { data } = (await read('/api/admin/accounts', admin)).body
    assert.deepEqual(data.at(-1), made.body)
  })

  test('PUT sets roles anew, and what is no role is refused with the names there are', async () => {
    await post(json('bea', ['USER']))
    assert.deepEqual((await put('bea', { roles: ['SUPPORT'] })).body.roles, ['SUPPORT'])
    assert.deepEqual((await put('bea', { locked: false })).body.roles, ['SUPPORT'])
    const before = await app.rows()
    assertRefusal(await put('bea', { roles: ['USER', 'SALES'] }), 400, 'Validation failed', '', {
      details: [
        {
          path: ['roles', '1'],
          message: 'must be USER, EDITOR, ADMIN, SUPPORT, BILLING or A_1',
        },
      ],
    })
    assert.deepEqual(await app.rows(), before)
  })

  test('session: GET /api/session and /api/account show them', async () => {
    const session = await app.session(as('ann'))
    const roles = ['USER', 'SUPPORT', 'BILLING', 'A_1']
    assert.deepEqual((await read('/api/session', session)).body.roles, roles)
    assert.deepEqual((await read('/api/account', session)).body.roles, roles)
  })

  test('bearer: the token carries them, and /api/me shows them; so does a refreshed one', async () => {
    const roles = ['USER', 'SUPPORT', 'BILLING', 'A_1']
    const pair = await app.pair(as('ann'))
    const refresh_token = pair.refresh_token
    const refreshed = await app.call('POST', '/refresh', { json: { refresh_token } })
    for (const token of [
      await app.token(as('ann')),
      pair.access_token,
      refreshed.body.access_token,
    ]) {
      assert.deepEqual(payloadOf(token).roles, roles)
      assert.deepEqual(
        (await read('/api/me', { authorization: `Bearer ${token}` })).body.roles,
        roles,
      )
    }
  })

  test('a changed role ends access tokens and shows in live sessions, as one of the three', async () => {
    await post(json('cem', ['USER', 'SUPPORT']))
    const session = await app.session(as('cem'))
    const token = await app.bearer(as('cem'))
    await put('cem', { roles: ['USER', 'BILLING'] })
    assertRefusal(await read('/users', token), 401, 'Invalid or expired token')
    assert.deepEqual((await read('/api/session', session)).body.roles, ['USER', 'BILLING'])
  })

  test('no route of the contract asks for them: every group is as before', async () => {
    await post(json('dan', ['SUPPORT', 'BILLING', 'A_1']))
    for (const headers of [await app.bearer(as('dan')), await app.session(as('dan'))]) {
      for (const path of ['/api/admin/accounts', '/api/editor/posts', '/api/user/account'])
        assertRefusal(await read(path, headers), 403, 'Access denied')
      for (const path of ['/users', '/api/posts'])
        assertRefusal(await read(path, headers), 403, 'Access denied')
      assert.equal((await read('/api/account', headers)).status, 200)
    }
  })

  test('import takes them and export shows them, over HTTP and on the command line', async () => {
    const recent = await app.bearer(app.admin)
    const taken = await importLines(app, recent, [line('eva', { roles: ['ROLE_SUPPORT', 'USER'] })])
    assert.deepEqual([taken.status, taken.body.imported], [200, 1])
    const wrong = await importLines(app, recent, [line('fay', { roles: ['SALES'] })], {
      query: '?dry_run=true',
    })
    assert.deepEqual(wrong.body.errors, [
      {
        line: 1,
        path: ['roles', '0'],
        message: 'must be USER, EDITOR, ADMIN, SUPPORT, BILLING or A_1',
      },
    ])
    const stdin = JSON.stringify(line('gus', { roles: ['BILLING', 'SUPPORT'] }))
    assert.equal((await run('account import -', { stdin })).code, 0)
    const rolesOf = (lines: readonly Record<string, unknown>[]) =>
      Object.fromEntries(lines.map(({ username, roles }) => [username, roles]))
    const shown = rolesOf(readLines((await read('/api/admin/export/accounts', recent)).text))
    assert.deepEqual(shown.eva, ['USER', 'SUPPORT'])
    assert.deepEqual(shown.gus, ['SUPPORT', 'BILLING'])
    const { stdout } = await run('account export')
    assert.deepEqual(
      rolesOf(
        stdout
          .trim()
          .split('\n')
          .map((text) => JSON.parse(text)),
      ),
      shown,
    )
  })

  test('the command line gives, lists and filters by them', async () => {
    const made = await run('account add hal --email hal@example.org --role A_1 --generate --json')
    assert.deepEqual(JSON.parse(made.stdout).roles, ['A_1'])
    const told = await run('account roles hal BILLING USER')
    assert.match(told.stdout, /hal has USER, BILLING\n/)
    const listed = await run('account list --role BILLING --json')
    const names = JSON.parse(listed.stdout).map(({ username }: Someone) => username)
    assert.deepEqual(names, ['ann', 'cem', 'dan', 'gus', 'hal'])
    const wrong = await run('account roles hal SALES')
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /SALES is no role: USER, EDITOR, ADMIN, SUPPORT, BILLING, A_1/)
  })

  test('the statistics count them', async () => {
    const { by_role } = (await read('/api/admin/statistics', admin)).body.accounts
    assert.deepEqual(Object.keys(by_role), ['USER', 'EDITOR', 'ADMIN', 'SUPPORT', 'BILLING', 'A_1'])
    assert.equal(by_role.BILLING, 5)
  })

  test('REQUIRE_SECOND_FACTOR may name one', async () => {
    const strict = await testApp({ ...env, REQUIRE_SECOND_FACTOR: 'BILLING' })
    const basic = strict.basic(strict.admin)
    for (const [name, role] of [
      ['ann', 'BILLING'],
      ['bea', 'SUPPORT'],
    ] as const) {
      const sent = { headers: basic, json: json(name, [role]) }
      assert.equal((await strict.call('POST', '/api/admin/accounts', sent)).status, 201)
    }
    const login = (name: string) =>
      strict.call('POST', '/login', { json: { username: name, password: passwordOf(name) } })
    const held = await login('ann')
    assert.equal(held.body.error, 'Second factor enrolment required')
    assert.deepEqual(payloadOf(held.body.enrolment_token).roles, ['BILLING'])
    assert.equal((await login('bea')).status, 200)
  })

  test('OpenAPI and the table of routes show them', async () => {
    const { schemas } = (await read('/api/openapi.json', admin)).body.components
    assert.deepEqual(schemas.Me.properties.roles.items, { $ref: '#/components/schemas/Role' })
    assert.deepEqual(schemas.Role.enum, app.deps.config.roles)
    const [first] = app.app.routes()
    assert.deepEqual(Object.keys(first?.statuses ?? {}), [
      'anonymous',
      ...app.deps.config.roles,
      'owner',
      'client',
    ])
  })
})

suite('a name that is taken out of ROLES', async () => {
  const app = await testApp({ ROLES: 'SUPPORT,BILLING' })
  const roles = ['USER', 'SUPPORT', 'BILLING'] as (typeof app.deps.config.roles)[number][]
  const [ann, bea, cem] = [
    await app.account('ann', roles),
    await app.account('bea', roles),
    await app.account('cem', roles.slice(1, 2)),
  ]
  const session = await app.session(ann)
  const token = await app.bearer(ann)
  const pair = await app.pair(ann)
  const { directory, clock } = app
  const later = await testApp({ ROLES: 'BILLING' }, { directory, clock })
  const again = await testApp({ ROLES: 'BILLING,SUPPORT' }, { directory, clock })
  const shown = async (node: typeof app, path: string, headers: Headers) => {
    await heard(node)
    const { status, body } = await node.call('GET', path, { headers })
    return [status, body.roles]
  }

  test('live sessions, tokens and Basic go on with the roles that are left', async () => {
    const left = [200, ['USER', 'BILLING']]
    assert.deepEqual(await shown(later, '/api/session', session), left)
    assert.deepEqual(await shown(later, '/api/me', token), left)
    assert.deepEqual(await shown(later, '/api/account', later.basic(ann)), left)
    const { refresh_token } = pair
    const refreshed = await later.call('POST', '/refresh', { json: { refresh_token } })
    assert.deepEqual(payloadOf(refreshed.body.access_token).roles, ['USER', 'BILLING'])
    assert.deepEqual(payloadOf(await later.token(cem)).roles, [], 'it was the only one')
  })

  test('it is shown nowhere, and cannot be given', async () => {
    const admin = later.basic(later.admin)
    const one = await shown(later, '/api/admin/accounts/ann', admin)
    assert.deepEqual(one, [200, ['USER', 'BILLING']])
    const lines = readLines(
      (await later.call('GET', '/api/admin/export/accounts', { headers: admin })).text,
    )
    assert.deepEqual(lines.map(({ roles }) => roles).slice(1), [
      ['USER', 'BILLING'],
      ['USER', 'BILLING'],
      [],
    ])
    const put = await later.call('PUT', '/api/admin/accounts/ann', {
      headers: admin,
      json: { roles: ['SUPPORT'] },
    })
    assertRefusal(put, 400, 'Validation failed', '', {
      details: [{ path: ['roles', '0'], message: 'must be USER, EDITOR, ADMIN or BILLING' }],
    })
  })

  test('what else is changed leaves it stored: added again, it is back, in its new place', async () => {
    const sent = { headers: later.basic(later.admin), json: { must_change: false } }
    assert.equal((await later.call('PUT', '/api/admin/accounts/ann', sent)).status, 200)
    const all = [200, ['USER', 'BILLING', 'SUPPORT']]
    assert.deepEqual(await shown(again, '/api/session', session), all)
    assert.deepEqual(await shown(again, '/api/me', token), all)
    assert.deepEqual(await shown(again, '/api/admin/accounts/ann', again.basic(again.admin)), all)
  })

  test('roles that are set anew replace it: it does not come back, nor in a token from before', async () => {
    const token = await app.bearer(bea)
    const sent = { headers: later.basic(later.admin), json: { roles: ['USER', 'BILLING'] } }
    assert.equal((await later.call('PUT', '/api/admin/accounts/bea', sent)).status, 200)
    const account = await shown(again, '/api/admin/accounts/bea', again.basic(again.admin))
    assert.deepEqual(account, [200, ['USER', 'BILLING']])
    await heard(again)
    assertRefusal(
      await again.call('GET', '/users', { headers: token }),
      401,
      'Invalid or expired token',
    )
  })
})

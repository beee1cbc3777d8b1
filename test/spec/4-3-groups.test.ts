import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { Role } from '../../src/core/policy/principal.ts'
import { type Headers, type Someone, testApp } from '../app.ts'
import { assertRefusal } from '../refusal.ts'

const roles = ['USER', 'EDITOR', 'ADMIN'] as const

const groups: readonly [string, readonly Role[] | null][] = [
  ['/api/public', null],
  ['/api/admin', ['ADMIN']],
  ['/api/editor', ['EDITOR', 'ADMIN']],
  ['/api/user', ['USER']],
]

suite('spec 4.3: route groups', async () => {
  const app = await testApp()
  const callers: [readonly Role[], Headers][] = []
  for (const has of [[], ...roles.map((role) => [role])]) {
    const someone = await app.account(`has ${has.join() || 'none'}`, has)
    callers.push([has, await app.bearer(someone)])
  }

  for (const [prefix, wanted] of groups) {
    test(`${prefix}/** requires ${wanted?.join(' or ') ?? 'no authentication'}`, async () => {
      for (const rest of ['', '/', '/nowhere', '/nowhere/deeper', '/%61']) {
        for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH']) {
          const about = `${method} ${prefix}${rest}`
          const nobody = await app.call(method, prefix + rest)
          if (wanted) assertRefusal(nobody, 401, 'Authentication required', about)
          else assertRefusal(nobody, 404, 'Route not found', about)
          for (const [has, headers] of callers) {
            const answer = await app.call(method, prefix + rest, { headers })
            const may = wanted === null || wanted.some((role) => has.includes(role))
            if (may) assertRefusal(answer, 404, 'Route not found', `${about} ${has}`)
            else assertRefusal(answer, 403, 'Access denied', `${about} ${has}`)
          }
        }
      }
    })
  }

  test('no role stands for another: there is no hierarchy', async () => {
    const headers = await app.bearer(await app.account('boss', ['EDITOR', 'ADMIN']))
    const answer = await app.call('GET', '/api/user/nowhere', { headers })
    assertRefusal(answer, 403, 'Access denied')
  })

  test('every other path that exists: an authenticated caller', async () => {
    for (const [method, path] of [
      ['GET', '/users'],
      ['GET', '/users/1'],
      ['PUT', '/users/1'],
      ['GET', '/api/v1/users'],
      ['GET', '/api/v2/users'],
      ['GET', '/api/protected'],
      ['GET', '/api/session'],
    ] as const) {
      assertRefusal(await app.call(method, path), 401, 'Authentication required', path)
    }
  })

  test('an empty id is no route: 404 for everybody outside the groups, with any credential', async () => {
    const before = await app.rows('throttle_places')
    const withEmptyId = [
      '/users/',
      '/api/v1/users/',
      '/api/v2/users/',
      '/api/posts/',
      '/api/account/sessions/',
      '/api/account/identities/',
    ]
    for (const path of withEmptyId) {
      for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
        for (const headers of [
          {},
          ...callers.map(([, has]) => has),
          { authorization: 'Basic x' },
        ]) {
          const answer = await app.call(method, path, { headers })
          assertRefusal(answer, 404, 'Route not found', `${method} ${path}`)
        }
      }
    }
    assert.deepEqual(await app.rows('throttle_places'), before)
  })

  test('an empty id below a group asks for the role of the group first, then it is 404', async () => {
    for (const [path, role] of [
      ['/api/admin/accounts/', 'ADMIN'],
      ['/api/admin/accounts//sessions', 'ADMIN'],
      ['/api/admin/posts//lock', 'ADMIN'],
      ['/api/admin/throttle/', 'ADMIN'],
      ['/api/user/account/sessions/', 'USER'],
    ] as const) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const about = `${method} ${path}`
        assertRefusal(await app.call(method, path), 401, 'Authentication required', about)
        for (const [has, headers] of callers) {
          const answer = await app.call(method, path, { headers })
          if (has.includes(role)) assertRefusal(answer, 404, 'Route not found', `${about} ${has}`)
          else assertRefusal(answer, 403, 'Access denied', `${about} ${has}`)
        }
      }
    }
  })

  test('an unknown path outside the groups is 404 for everybody, near misses included', async () => {
    for (const path of ['/nowhere', '/api', '/api/administrator', '/api/publicity', '/API/admin']) {
      assertRefusal(await app.call('GET', path), 404, 'Route not found', path)
    }
  })
})

suite('spec 4.3: user-level operations', async () => {
  const app = await testApp()
  const who: Record<string, Someone> = {
    'an administrator': await app.account('ada', ['ADMIN']),
    'a user': await app.account('ursula', ['USER']),
    'an editor': await app.account('edith', ['EDITOR']),
    'a caller without a role': await app.account('norole', []),
  }
  const target = await app.account('target')
  let gone = 0

  const rows: readonly [string, string, object, readonly string[]][] = [
    ['reading a user requires USER or ADMIN', 'GET', {}, ['an administrator', 'a user']],
    [
      'updating a user who is not the caller requires ADMIN',
      'PUT',
      { json: { name: 'Changed' } },
      ['an administrator'],
    ],
    ['deleting a user requires ADMIN', 'DELETE', {}, ['an administrator']],
  ]
  for (const path of ['/users', '/api/v1/users', '/api/v2/users']) {
    for (const [sentence, method, call, allowed] of rows) {
      test(`${path}: ${sentence}`, async () => {
        for (const [name, someone] of Object.entries(who)) {
          const headers = app.basic(someone)
          if (method === 'DELETE') gone += 1
          const { userId } = method === 'DELETE' ? await app.account(`gone${gone}`) : target
          const before = await app.rows()
          const answer = await app.call(method, `${path}/${userId}`, { ...call, headers })
          if (allowed.includes(name)) {
            assert.equal(answer.status, 200, name)
          } else {
            assertRefusal(answer, 403, 'Access denied', name)
            assert.deepEqual(await app.rows(), before)
          }
        }
      })
    }

    test(`${path}: everybody may update the user of their own username`, async () => {
      for (const [name, someone] of Object.entries(who)) {
        const answer = await app.call('PUT', `${path}/${someone.userId}`, {
          headers: app.basic(someone),
          json: { name },
        })
        assert.equal(answer.status, 200, name)
        assert.equal(answer.body.name, name)
      }
    })

    test(`${path}: creating a user requires ADMIN`, async () => {
      const json = { name: 'New', email: 'new@example.org' }
      for (const [name, someone] of Object.entries(who)) {
        const answer = await app.call('POST', path, { headers: app.basic(someone), json })
        if (name === 'an administrator') assert.equal(answer.status, 201)
        else assertRefusal(answer, 403, 'Access denied', name)
      }
    })
  }
})

test('USERS_POLICY=administrators: lists and the rows of others for ADMIN, the own row for its owner', async () => {
  const app = await testApp({ USERS_POLICY: 'administrators' })
  const ann = await app.account('ann')
  const [owner, admin] = [app.basic(ann), app.basic(app.admin)]
  const json = { name: 'Ann' }
  for (const base of ['', '/api/v1', '/api/v2']) {
    const own = `${base}/users/${ann.userId}`
    assert.equal((await app.call('GET', own, { headers: owner })).status, 200)
    const changed = await app.call('PUT', own, { headers: owner, json })
    assert.deepEqual([changed.status, changed.body.name], [200, 'Ann'])
    for (const [method, path, call] of [
      ['GET', `${base}/users`, {}],
      ['GET', `${base}/users/1`, {}],
      ['POST', `${base}/users`, { json: { name: 'New', email: 'new@example.org' } }],
      ['PUT', `${base}/users/1`, { json }],
      ['DELETE', own, {}],
    ] as const) {
      const refused = await app.call(method, path, { headers: owner, ...call })
      assertRefusal(refused, 403, 'Access denied', `${method} ${path}`)
      assertRefusal(await app.call(method, path, call), 401, 'Authentication required')
    }
    assert.equal((await app.call('GET', `${base}/users`, { headers: admin })).status, 200)
    assert.equal((await app.call('GET', own, { headers: admin })).status, 200)
  }
})

for (const policy of ['authenticated', 'open'] as const) {
  test(`USERS_POLICY=${policy} asks for ${policy === 'open' ? 'nothing' : 'any caller'}`, async () => {
    const app = await testApp({ USERS_POLICY: policy })
    const someone = await app.account('someone', [])
    const headers = policy === 'open' ? {} : app.basic(someone)
    const json = { name: 'New', email: 'new@example.org' }
    const made = await app.call('POST', '/users', { headers, json })
    assert.equal(made.status, 201)
    for (const [method, call] of [
      ['GET', {}],
      ['PUT', { json }],
      ['DELETE', {}],
    ] as const) {
      const path = `/users/${made.body.id}`
      assert.equal((await app.call(method, path, { headers, ...call })).status, 200, method)
    }
    const stranger = await app.call('GET', '/users')
    if (policy === 'open') assert.equal(stranger.status, 200)
    else assertRefusal(stranger, 401, 'Authentication required')
  })
}

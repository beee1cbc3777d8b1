import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { testApp } from '../app.ts'
import { storedHash } from '../hashes.ts'
import { assertRefusal } from '../refusal.ts'

suite('spec 2.1: user', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const right = { name: 'Ann', email: 'ann@example.org' }
  const create = (json: unknown) => app.call('POST', '/users', { headers, json })

  test('every user object has id, name and email, and nothing else', async () => {
    const { body: made } = await create({ ...right, roles: ['ADMIN'], password: 'x', extra: 1 })
    const path = `/users/${made.id}`
    assert.deepEqual(made, { id: made.id, ...right })
    assert.deepEqual((await app.call('GET', path, { headers })).body, made)
    assert.deepEqual((await app.call('PUT', path, { headers, json: {} })).body, made)
    const { body: all } = await app.call('GET', '/users', { headers })
    assert.deepEqual(all.at(-1), made)
    assert.deepEqual((await app.call('DELETE', path, { headers })).body, made)
  })

  test('id is a number, assigned by the server, unique, and never given twice', async () => {
    const ids: number[] = []
    for (let made = 0; made < 3; made += 1) {
      const { body } = await create({ ...right, id: 1 })
      ids.push(body.id)
      await app.call('DELETE', `/users/${body.id}`, { headers })
    }
    assert.ok(ids.every((id) => Number.isSafeInteger(id) && id > 1))
    assert.equal(new Set(ids).size, 3)
  })

  const taken: [string, object][] = [
    ['a name of 1 character', { name: 'A' }],
    ['a name of 100 characters', { name: 'n'.repeat(100) }],
    ['a name of 100 code points outside the basic plane', { name: '😀'.repeat(100) }],
    ['an e-mail address that another user has', {}],
    ['an e-mail address of 254 characters', { email: emailOf(254) }],
  ]
  for (const [what, change] of taken) {
    test(`${what} is taken as it is`, async () => {
      const answer = await create({ ...right, ...change })
      assert.equal(answer.status, 201)
      assert.deepEqual(answer.body, { id: answer.body.id, ...right, ...change })
    })
  }

  const refused: [string, object, string, string][] = [
    ['an empty name', { name: '' }, 'name', 'must NOT have fewer than 1 characters'],
    [
      'a name of 101 characters',
      { name: 'n'.repeat(101) },
      'name',
      'must NOT have more than 100 characters',
    ],
    ['a name that is no string', { name: 5 }, 'name', 'must be string'],
    ['no e-mail address', { email: 'ann' }, 'email', 'must be an e-mail address'],
    ['an e-mail address without a domain', { email: 'a@b' }, 'email', 'must be an e-mail address'],
    ['an e-mail that is no string', { email: true }, 'email', 'must be string'],
  ]
  for (const [what, change, field, message] of refused) {
    test(`${what} is refused on create and on update`, async () => {
      const before = await app.rows()
      const details = [{ path: [field], message }]
      for (const [method, path] of [
        ['POST', '/users'],
        ['PUT', '/users/1'],
      ] as const) {
        const answer = await app.call(method, path, { headers, json: { ...right, ...change } })
        assertRefusal(answer, 400, 'Validation failed', method, { details })
      }
      assert.deepEqual(await app.rows(), before)
    })
  }
})

suite('spec 2.2: credential record', async () => {
  const app = await testApp()
  const headers = app.basic(app.admin)
  const path = '/api/admin/accounts/ann'
  const ann = await app.account('ann')
  const change = (json: object) => app.call('PUT', path, { headers, json })
  const login = (password = ann.password, username = 'ann') =>
    app.call('POST', '/login', { json: { username, password } })

  test('the username is unique', async () => {
    const json = { username: 'Ann', password: 'quiet melons roll', roles: [], user_id: 1 }
    const answer = await app.call('POST', '/api/admin/accounts', { headers, json })
    assertRefusal(answer, 409, 'Username already exists')
    assert.equal((await login(ann.password, ' ANN ')).status, 200)
  })

  test('the password is stored as a salted hash, never as it is, and never shown', async () => {
    assert.match(await storedHash(app, ann.userId), /^\$argon2id\$/)
    const text = JSON.stringify(await app.rows())
    assert.ok(!text.includes(ann.password))
    const shown = await app.call('GET', path, { headers })
    assert.ok(!/password|hash|argon2/.test(shown.text))
  })

  test('roles are USER, EDITOR and ADMIN; one ROLE_ before them is removed', async () => {
    assert.deepEqual((await change({ roles: ['ROLE_EDITOR', 'USER'] })).body.roles, [
      'USER',
      'EDITOR',
    ])
    for (const name of ['GUEST', 'admin', 'ROLE_ROLE_ADMIN', '']) {
      assertRefusal(await change({ roles: ['USER', name] }), 400, 'Validation failed', name, {
        details: [{ path: ['roles', '1'], message: 'must be USER, EDITOR or ADMIN' }],
      })
    }
  })

  for (const [what, off, on] of [
    ['locked', { locked: true }, { locked: false }],
    ['inactive', { active: false }, { active: true }],
  ] as const) {
    test(`a ${what} account fails to authenticate, by login and by Basic`, async () => {
      const session = await app.session(ann)
      await change(off)
      assertRefusal(await login(), 401, 'Invalid credentials')
      const basic = await app.call('GET', '/users', { headers: app.basic(ann) })
      assertRefusal(basic, 401, 'Authentication required')
      const old = await app.call('GET', '/api/protected', { headers: session })
      assertRefusal(old, 401, 'Authentication required')
      await change(on)
      assert.equal((await login()).status, 200)
    })
  }
})

suite('spec 2.3: session', async () => {
  const app = await testApp()
  const ann = await app.account('ann', ['USER', 'EDITOR'])

  test('user_id, username and roles are set at login', async () => {
    const headers = await app.session(ann)
    const { body } = await app.call('GET', '/api/session', { headers })
    assert.equal(body.user_id, String(ann.userId))
    assert.equal(body.username, 'ann')
    assert.deepEqual(body.roles, ['USER', 'EDITOR'])
  })

  test('csrf_token is 32 bytes in URL-safe Base64 without padding, one per session', async () => {
    const tokens = new Set<string>()
    for (let logins = 0; logins < 3; logins += 1) {
      const token = (await app.session(ann))['x-csrf-token']
      assert.match(token, /^[A-Za-z0-9_-]{43}$/)
      assert.equal(Buffer.from(token, 'base64url').length, 32)
      tokens.add(token)
    }
    assert.equal(tokens.size, 3)
  })

  test('the id travels in the cookie JSESSIONID, and the store has its SHA-256 alone', async () => {
    const { cookie } = await app.session(ann)
    const [name, id = ''] = cookie.split('=')
    assert.equal(name, 'JSESSIONID')
    const { rows } = await sql<{ id: string }>`select id from sessions`.execute(app.deps.db)
    assert.ok(rows.length > 0)
    assert.ok(!JSON.stringify(await app.rows()).includes(id))
  })
})

function emailOf(length: number): string {
  const labels = ['a@', `${'b'.repeat(63)}.`, `${'c'.repeat(63)}.`, `${'d'.repeat(63)}.`].join('')
  return labels + 'e'.repeat(length - labels.length)
}

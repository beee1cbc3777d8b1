// A database makes a difference: what a column can hold.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'

const path = '/api/admin/accounts'
const good = { username: 'carol', password: 'a password of hers', roles: ['USER'] }
const user = { name: 'Carol', email: 'carol@example.org' }

suite('accounts: what a body may hold', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const bob = await app.account('bob')
  const alone = (await app.call('POST', '/users', { headers, json: user })).body.id as number
  const post = (json: unknown) => app.call('POST', path, { headers, json })
  const put = (json: unknown, name = 'bob') => app.call('PUT', `${path}/${name}`, { headers, json })

  const creating: readonly [object, number, string, (string | string[])?][] = [
    [{}, 400, 'Validation failed', 'username'],
    [{ username: 5 }, 400, 'Validation failed', 'username'],
    [{ username: ['carol'] }, 400, 'Validation failed', 'username'],
    [{ username: '' }, 400, 'Validation failed', 'username'],
    [{ username: ' ' }, 400, 'Validation failed', 'username'],
    [{ username: 'a:b' }, 400, 'Validation failed', 'username'],
    [{ username: 'a\0b' }, 400, 'Validation failed', 'username'],
    [{ username: 'a\u200Bb' }, 400, 'Validation failed', 'username'],
    [{ username: 'a\u202Eb' }, 400, 'Validation failed', 'username'],
    [{ username: 'n'.repeat(65) }, 400, 'Validation failed', 'username'],
    [{ username: '😀'.repeat(65) }, 400, 'Validation failed', 'username'],
    [{ password: 5 }, 400, 'Validation failed', 'password'],
    [{ password: null }, 400, 'Validation failed', 'password'],
    [{ password: 'p'.repeat(11) }, 400, 'Validation failed', 'password'],
    [{ password: '😀'.repeat(11) }, 400, 'Validation failed', 'password'],
    [{ password: 'p'.repeat(129) }, 400, 'Validation failed', 'password'],
    [{ password: 'twelve chars\0' }, 400, 'Validation failed', 'password'],
    [{ password: 'e\u0301'.repeat(6) }, 400, 'Validation failed', 'password'],
    [{ roles: 'ADMIN' }, 400, 'Validation failed', 'roles'],
    [{ roles: { 0: 'ADMIN' } }, 400, 'Validation failed', 'roles'],
    [{ roles: null }, 400, 'Validation failed', 'roles'],
    [{ roles: [['ADMIN']] }, 400, 'Validation failed', ['roles', '0']],
    [{ roles: ['USER', 'admin'] }, 400, 'Validation failed', ['roles', '1']],
    [{ roles: ['SUPERADMIN'] }, 400, 'Validation failed', ['roles', '0']],
    [{ roles: ['ROLE_ROLE_ADMIN'] }, 400, 'Validation failed', ['roles', '0']],
    [{ roles: ['USER,ADMIN'] }, 400, 'Validation failed', ['roles', '0']],
    [{ roles: [' ADMIN'] }, 400, 'Validation failed', ['roles', '0']],
    [{ must_change: 1 }, 400, 'Validation failed', 'must_change'],
    [{ user_id: String(alone), name: undefined }, 400, 'Validation failed', 'user_id'],
    [{ user_id: 0 }, 400, 'Validation failed', 'user_id'],
    [{ user_id: -1 }, 400, 'Validation failed', 'user_id'],
    [{ user_id: 1.5 }, 400, 'Validation failed', 'user_id'],
    [{ user_id: 2 ** 53 }, 400, 'Validation failed', 'user_id'],
    [{ user_id: alone }, 400, 'Validation failed', 'user_id'], // and name and email
    [{ name: '' }, 400, 'Validation failed', 'name'],
    [{ email: 'x' }, 400, 'Validation failed', 'email'],
    [{ name: undefined }, 400, 'Validation failed', 'name'],
    [{ name: undefined, email: undefined }, 400, 'Validation failed', 'user_id'],
    [{ name: undefined, email: undefined, user_id: 424242 }, 404, 'User not found'],
    [
      { name: undefined, email: undefined, user_id: bob.userId },
      409,
      'User already has an account',
    ],
    [{ username: 'bob' }, 409, 'Username already exists'],
    [{ username: ' BOB ' }, 409, 'Username already exists'],
    [{ username: 'ｂｏｂ' }, 409, 'Username already exists'],
    [{ username: 'admin' }, 409, 'Username already exists'],
  ]
  for (const [change, status, error, field] of creating) {
    const shown = JSON.stringify(change).slice(0, 60)
    test(`POST with ${shown} is ${status} "${error}" and makes neither user nor account`, async () => {
      const before = await app.rows()
      const base = Object.keys(change).length === 0 ? {} : { ...good, ...user }
      const answer = await post({ ...base, ...change })
      assert.deepEqual([answer.status, answer.body.error], [status, error], answer.text)
      if (field) {
        const paths: string[][] = answer.body.details.map((one: { path: string[] }) => one.path)
        assert.ok(
          paths.some((one) => String(one) === String([field].flat())),
          String(paths),
        )
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  const extra = {
    id: 999,
    user_id: 1,
    username: 'admin',
    password_hash: '$argon2id$x',
    passwordHash: 'x',
    access_version: 99,
    refresh_version: 99,
    created_at: '2000-01-01T00:00:00Z',
    second_factor: true,
    user: { id: 1 },
  }

  test('T75: unknown and server-side fields of an account are ignored and never stored', async () => {
    const before = (await app.rows()).accounts
    const answer = await put(extra)
    assert.equal(answer.status, 200)
    assert.equal(answer.body.username, 'bob')
    assert.equal(answer.body.user_id, bob.userId)
    assert.deepEqual((await app.rows()).accounts, before)
    const { user_id: _, username: __, ...rest } = extra
    const json = { ...rest, ...good, ...user, locked: true, active: false }
    const made = await post(json)
    const { user_id } = made.body
    assert.deepEqual(made.body, {
      username: 'carol',
      user_id,
      roles: ['USER'],
      locked: false,
      active: true,
      second_factor: false,
      deletion_at: null,
      created_at: '2026-01-15T12:00:00.000Z',
    })
    assert.notEqual(user_id, extra.id)
  })

  for (const [field, values] of Object.entries({
    roles: ['ADMIN', ['admin'], [5], null],
    locked: ['true', 1, null, []],
    active: ['false', 0, null],
    must_change: ['no', 0],
    password: ['short', 5, null, ['a password of bob']],
  })) {
    test(`T70: PUT coerces no ${field}`, async () => {
      const before = await app.rows()
      for (const value of values) {
        const answer = await put({ [field]: value })
        assert.deepEqual([answer.status, answer.body.error], [400, 'Validation failed'])
      }
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('one leading ROLE_ is removed; roles are stored once each and shown in their order', async () => {
    for (const [roles, shown] of [
      [
        ['ROLE_EDITOR', 'USER'],
        ['USER', 'EDITOR'],
      ],
      [['USER', 'ROLE_USER', 'USER'], ['USER']],
      [[], []],
    ]) {
      assert.deepEqual((await put({ roles })).body.roles, shown)
      const read = await app.call('GET', `${path}/bob`, { headers })
      assert.deepEqual(read.body.roles, shown)
    }
  })

  test('T78: a username in the path is compared in canonical form; an invalid one is 404', async () => {
    for (const name of ['BOB', '%20bob', 'b%6Fb', '%EF%BD%82ob']) {
      assert.equal((await app.call('GET', `${path}/${name}`, { headers })).body.username, 'bob')
    }
    const names = ['bob%00', 'b%E2%80%8Bob', 'bob:', '__proto__', "'--", 'b%25', 'n'.repeat(9000)]
    for (const name of names) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const json = method === 'PUT' ? { json: { locked: true } } : {}
        const answer = await app.call(method, `${path}/${name}`, { headers, ...json })
        assert.deepEqual([answer.status, answer.body], [404, { error: 'Account not found' }], name)
      }
    }
  })

  test('of two accounts made at once for one name, or one user, there is one, and no user is left over', async () => {
    const before = (await app.rows()).users?.length ?? 0
    const sameName = { ...good, ...user, username: 'twin' }
    const one = await Promise.all([post(sameName), post(sameName)])
    assert.deepEqual(one.map(({ status }) => status).sort(), [201, 409])
    assert.equal((await app.rows()).users?.length, before + 1)
    const sameUser = ['first', 'second'].map((username) => ({ ...good, username, user_id: alone }))
    const two = await Promise.all(sameUser.map(post))
    assert.deepEqual(two.map(({ status }) => status).sort(), [201, 409])
    const refused = two.find(({ status }) => status === 409)
    assert.deepEqual(refused?.body, { error: 'User already has an account' })
  })

  test('no answer holds a password or its hash', async () => {
    const answers = await Promise.all([
      app.call('GET', path, { headers }),
      app.call('GET', `${path}/bob`, { headers }),
      put({ password: 'another password of bob' }),
    ])
    for (const { text } of answers) assert.doesNotMatch(text, /argon|password|hash|version/)
  })
})

import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { enrolled } from '../factor.ts'
import { assertRefusal } from '../refusal.ts'

const path = '/api/admin/accounts'
const password = 'quiet melons roll'
const person = { name: 'Someone', email: 'someone@example.org' }

suite('administration of accounts', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const call = (method: string, rest = '', json?: unknown) =>
    app.call(method, path + rest, { headers, ...(json !== undefined && { json }) })
  const login = (username: string, more: object = {}) =>
    app.call('POST', '/login', { json: { username, password, ...more } })
  const details = (field: string, message: string) => ({
    details: [{ path: [field], message }],
  })
  const shown = {
    ...{ roles: ['USER'], locked: false, active: true, second_factor: false, deletion_at: null },
    created_at: new Date(app.clock.now()).toISOString(),
  }

  test('POST with name and email makes the user too: 201, the account', async () => {
    const json = { username: 'Both', password, roles: ['USER'], ...person }
    const { status, body } = await call('POST', '', json)
    assert.equal(status, 201)
    assert.deepEqual(body, { username: 'both', user_id: body.user_id, ...shown })
    const user = await app.call('GET', `/users/${body.user_id}`, { headers })
    assert.deepEqual(user.body, { id: body.user_id, ...person })
    assert.equal((await login('both')).status, 200, 'the password is usable at once')
  })

  test('POST with user_id is for a user that exists: 201, the account', async () => {
    const { body: user } = await app.call('POST', '/users', { headers, json: person })
    const json = { username: 'existing', password, roles: ['USER'], user_id: user.id }
    const { status, body } = await call('POST', '', json)
    assert.equal(status, 201)
    assert.deepEqual(body, { username: 'existing', user_id: user.id, ...shown })
  })

  const account = { username: 'refused', password, roles: ['USER'] }
  const either = details('user_id', 'is required, unless name and email describe a new user')
  for (const [what, json, status, error, more] of [
    ['a name that is taken', { ...person, username: 'ADMIN' }, 409, 'Username already exists', {}],
    ['a user that has an account', { user_id: 1 }, 409, 'User already has an account', {}],
    ['a user that is not there', { user_id: 999 }, 404, 'User not found', {}],
    ['neither user_id nor name and email', {}, 400, 'Validation failed', either],
    [
      'a name alone',
      { name: 'Someone' },
      ...([400, 'Validation failed'] as const),
      details('email', 'is required for a new user'),
    ],
    [
      'an address alone',
      { email: 'someone@example.org' },
      ...([400, 'Validation failed'] as const),
      details('name', 'is required for a new user'),
    ],
    [
      'both of them',
      { ...person, user_id: 1 },
      ...([400, 'Validation failed'] as const),
      details('user_id', 'stands for a user that exists: leave out name and email'),
    ],
    [
      'a username with a colon',
      { ...person, username: 'a:b' },
      ...([400, 'Validation failed'] as const),
      details(
        'username',
        'must have 1 to 64 characters, none of them a colon, a control or a zero-width character',
      ),
    ],
  ] as const) {
    test(`POST with ${what}: ${status} "${error}", and nothing changed`, async () => {
      const before = await app.rows()
      assertRefusal(await call('POST', '', { ...account, ...json }), status, error, '', more)
      assert.deepEqual(await app.rows(), before)
    })
  }

  test('GET: 200, an envelope of accounts', async () => {
    const { status, body } = await call('GET', '?page=1&limit=2')
    assert.equal(status, 200)
    assert.deepEqual(Object.keys(body), ['page', 'limit', 'total', 'data'])
    const { accounts = [] } = await app.rows()
    assert.deepEqual([body.page, body.limit, body.total], [1, 2, accounts.length])
    assert.equal(body.data.length, 2)
    const admin = { username: 'admin', user_id: 1, roles: ['USER', 'EDITOR', 'ADMIN'] }
    assert.deepEqual((await call('GET')).body.data[0], { ...shown, ...admin })
  })

  test('GET /{username}: 200, the account, by any spelling of the name', async () => {
    for (const name of ['admin', 'ADMIN', '%20admin']) {
      const { status, body } = await call('GET', `/${name}`)
      assert.deepEqual([status, body.username, body.user_id], [200, 'admin', 1])
    }
  })

  test('PUT /{username} takes any of its fields: 200, the account', async () => {
    const ann = await app.account('ann')
    let expected = { username: 'ann', user_id: ann.userId, ...shown }
    for (const change of [
      { roles: ['USER', 'EDITOR'] },
      { locked: true },
      { locked: false },
      { active: false },
      { active: true },
      {},
      { roles: [], locked: true, active: false },
    ]) {
      expected = { ...expected, ...change }
      const answer = await call('PUT', '/ann', change)
      assert.deepEqual([answer.status, answer.body], [200, expected])
      assert.deepEqual((await call('GET', '/ann')).body, expected)
    }
  })

  test('DELETE /{username}: 200, the account as it was; its user stays', async () => {
    const bob = await app.account('bob')
    const before = (await call('GET', '/bob')).body
    const answer = await call('DELETE', '/bob')
    assert.deepEqual([answer.status, answer.body], [200, before])
    assertRefusal(await call('GET', '/bob'), 404, 'Account not found')
    assert.equal((await app.call('GET', `/users/${bob.userId}`, { headers })).status, 200)
    assertRefusal(await login('bob'), 401, 'Invalid credentials')
  })

  test('no such account: 404 "Account not found"', async () => {
    for (const [method, json] of [
      ['GET'],
      ['PUT', {}],
      ['PUT', { locked: 5 }],
      ['DELETE'],
    ] as const) {
      assertRefusal(await call(method, '/nobody', json), 404, 'Account not found', method)
    }
  })

  test('losing the last active ADMIN: 409 "Last administrator", and nothing changed', async () => {
    const before = await app.rows()
    for (const json of [{ roles: ['USER'] }, { locked: true }, { active: false }]) {
      assertRefusal(await call('PUT', '/admin', json), 409, 'Last administrator')
    }
    assertRefusal(await call('DELETE', '/admin'), 409, 'Last administrator')
    const user = await app.call('DELETE', '/users/1', { headers })
    assertRefusal(user, 409, 'Last administrator')
    assert.deepEqual(await app.rows(), before)
  })

  test('must_change: a login is 403 until /login is sent new_password as well', async () => {
    const json = { username: 'must', password, roles: ['USER'], must_change: true, ...person }
    assert.equal((await call('POST', '', json)).status, 201)
    const basic = app.basic({ userId: 0, username: 'must', password })
    const refused = await app.call('GET', '/users', { headers: basic })
    assertRefusal(refused, 401, 'Authentication required')
    assertRefusal(await login('must'), 403, 'Password change required')
    assertRefusal(
      await login('must', { new_password: 'too short' }),
      400,
      'Validation failed',
      '',
      {
        ...details('new_password', 'must have at least 12 characters'),
      },
    )
    const changed = 'another quiet melon'
    assert.equal((await login('must', { new_password: changed })).status, 200)
    assertRefusal(await login('must'), 401, 'Invalid credentials')
    assert.equal((await login('must', { password: changed })).status, 200)
    await call('PUT', '/must', { must_change: true })
    assertRefusal(await login('must', { password: changed }), 403, 'Password change required')
  })

  test('new_password of an account that must change nothing is 400, behind the proof alone', async () => {
    const who = await app.account('needless')
    const { device, who: factored } = await enrolled(app, 'needless2')
    const new_password = 'another quiet melon'
    const refusal = details('new_password', 'is for an account that must change its password')
    const before = await app.rows()
    for (const mode of ['session', 'token', 'pair']) {
      const json = { username: who.username, password: who.password, mode, new_password }
      for (const body of [{ json }, { form: json }]) {
        const answer = await app.call('POST', '/login', body)
        assertRefusal(answer, 400, 'Validation failed', mode, refusal)
        assert.deepEqual(answer.cookies, {})
      }
    }
    const right = { username: factored.username, password: factored.password, new_password }
    const halfway = await app.call('POST', '/login', { json: right })
    assertRefusal(halfway, 401, 'Second factor required', '', { second_factor: 'totp' })
    assert.deepEqual(await app.rows(), before, 'every place is given back')
    const both = await app.call('POST', '/login', { json: { ...right, totp: device.code() } })
    assertRefusal(both, 400, 'Validation failed', '', refusal)
    const wrong = { username: who.username, password: 'not the right one', new_password }
    const guess = await app.call('POST', '/login', { json: wrong })
    assertRefusal(guess, 401, 'Invalid credentials')
    const form = { username: who.username, password: who.password, new_password: '' }
    assert.equal((await app.call('POST', '/login', { form })).status, 200, 'an empty field')
  })

  test('every route asks for ADMIN', async () => {
    const others = await app.bearer(await app.account('other', ['USER', 'EDITOR']))
    for (const [method, rest] of [
      ['GET', ''],
      ['POST', ''],
      ['GET', '/admin'],
      ['PUT', '/admin'],
      ['DELETE', '/admin'],
      ['GET', '/nobody'],
    ] as const) {
      const stranger = await app.call(method, path + rest)
      assertRefusal(stranger, 401, 'Authentication required')
      const refused = await app.call(method, path + rest, { headers: others })
      assertRefusal(refused, 403, 'Access denied')
    }
  })
})

// A database makes a difference: a unique index, and values that a transaction changes together.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { profileFile } from '../profile-file.ts'
import { assertRefusal } from '../refusal.ts'

const fields = {
  department: { type: 'string', maxLength: 20, labels: { en: 'Department', de: 'Abteilung' } },
  employee_number: { type: 'string', unique: true },
  motto: { type: 'string', read: 'public', write: 'owner' },
  home_page: { type: 'string', format: 'uri', write: 'owner' },
  shoe_size: { type: 'integer', minimum: 20, maximum: 60, write: 'owner' },
  size: { type: 'string', enum: ['S', 'M', 'L'], write: 'owner' },
  newsletter: { type: 'boolean', write: 'owner' },
  note: { type: 'string', read: 'admin' },
}

suite('the profile of an account', async () => {
  const app = await testApp({ PROFILE_FILE: profileFile(fields) })
  const admin: Headers = app.basic(app.admin)
  let made = 0
  const someone = async () => {
    const who = await app.account(`person${++made}`)
    const own = { headers: app.basic(who) }
    const url = `/api/admin/accounts/${who.username}/profile`
    return { who, own, url }
  }
  const put = (url: string, profile: unknown, headers = admin) =>
    app.call('PUT', url, { headers, json: { profile } })
  const stored = async (userId: number) =>
    app.deps.db
      .selectFrom('profile_values')
      .select(['field', 'value'])
      .where('user_id', '=', userId)
      .orderBy('field')
      .execute()
  const refused = (name: string, message: string) => ({
    error: 'Validation failed',
    details: [{ path: ['profile', name], message }],
  })

  test('an administrator reads and writes all fields; null removes a value, others stay', async () => {
    const { url } = await someone()
    const none = await app.call('GET', url, { headers: admin })
    assert.deepEqual([none.status, none.body.profile], [200, {}])
    assert.deepEqual(
      none.body.fields.map(({ name }: { name: string }) => name),
      Object.keys(fields),
    )
    assert.deepEqual(none.body.fields[0], {
      ...{ name: 'department', type: 'string', labels: fields.department.labels },
      constraints: { type: 'string', minLength: 1, maxLength: 20, format: 'text' },
      ...{ read: 'owner', write: 'admin', unique: false, required: false },
    })
    const all = { department: 'Sales', shoe_size: 42, newsletter: true, note: 'Key 7' }
    assert.deepEqual((await put(url, all)).body.profile, all)
    const { note: _, ...left } = all
    assert.deepEqual((await put(url, { note: null, shoe_size: 43 })).body.profile, {
      ...{ ...left, shoe_size: 43 },
    })
    const read = await app.call('GET', url, { headers: admin })
    assert.deepEqual(read.body.profile, { ...left, shoe_size: 43 })
  })

  test('POST /api/admin/accounts makes an account with its values, or neither', async () => {
    const post = (username: string, profile: object) =>
      app.call('POST', '/api/admin/accounts', {
        headers: admin,
        json: {
          ...{ username, password: 'amber violin 87 thicket', roles: ['USER'] },
          ...{ name: 'Zoe', email: 'zoe@example.org', profile },
        },
      })
    const before = await app.rows()
    const wrong = await post('zoe', { shoe_size: 1, other: 1 })
    assert.deepEqual(
      [wrong.status, wrong.body.details.map(({ path }: { path: string[] }) => path.join('.'))],
      [400, ['profile.other', 'profile.shoe_size']],
    )
    assert.deepEqual((await app.rows()).accounts, before.accounts)
    const profile = { employee_number: 'Z-1', shoe_size: 40 }
    assert.equal((await post('zoe', profile)).status, 201)
    const read = await app.call('GET', '/api/admin/accounts/zoe/profile', { headers: admin })
    assert.deepEqual(read.body.profile, profile)
    const taken = await post('yan', profile)
    assertRefusal(taken, 409, 'Profile value already exists', '', { field: 'employee_number' })
    const missing = await app.call('GET', '/api/admin/accounts/yan', { headers: admin })
    assertRefusal(missing, 404, 'Account not found')
  })

  test('If-Match: a change of what the caller has not seen is 412', async () => {
    const { who, url } = await someone()
    const { etag } = (await app.call('GET', url, { headers: admin })).headers
    await put(url, { department: 'Sales' })
    const headers = { ...admin, 'if-match': String(etag) }
    assertRefusal(await put(url, { department: 'Support' }, headers), 412, 'Precondition failed')
    assert.deepEqual(await stored(who.userId), [{ field: 'department', value: '"Sales"' }])
    const again = String((await app.call('GET', url, { headers: admin })).headers.etag)
    const answer = await put(url, { department: 'Support' }, { ...admin, 'if-match': again })
    assert.deepEqual([answer.status, answer.body.profile], [200, { department: 'Support' }])
  })

  for (const prefix of ['/api/account', '/api/user/account']) {
    test(`${prefix}/profile: its owner reads and writes what the file allows`, async () => {
      const { who, own, url } = await someone()
      await put(url, { department: 'Sales', note: 'Key 7' })
      const mine = await app.call('GET', `${prefix}/profile`, own)
      assert.deepEqual([mine.status, mine.body.profile], [200, { department: 'Sales' }])
      const names = mine.body.fields.map(({ name }: { name: string }) => name)
      assert.deepEqual(names, Object.keys(fields).slice(0, -1))
      const changed = await put(`${prefix}/profile`, { motto: 'Onward' }, own.headers)
      assert.deepEqual(
        [changed.status, changed.body.profile],
        [200, { department: 'Sales', motto: 'Onward' }],
      )
      const before = await stored(who.userId)
      for (const name of ['department', 'note']) {
        const answer = await put(`${prefix}/profile`, { [name]: 'x', motto: 'y' }, own.headers)
        assert.deepEqual(
          [answer.status, answer.body],
          [400, refused(name, 'can be changed by administrators only')],
        )
      }
      assert.deepEqual(await stored(who.userId), before)
    })
  }

  test('values against the schema are refused, all at once, and nothing changes', async () => {
    const { who, url } = await someone()
    const cases: readonly (readonly [string, unknown, string])[] = [
      ['unknown', 'x', 'is not a field of the profile'],
      ['__proto__x', 'x', 'is not a field of the profile'],
      ['department', 'x'.repeat(21), 'must NOT have more than 20 characters'],
      ['department', '', 'must NOT have fewer than 1 characters'],
      ['department', 7, 'must be string'],
      ['department', ['Sales'], 'must be string'],
      ['department', 'a\nb', 'must not hold control characters'],
      ['department', 'a\u2028b', 'must not hold control characters'],
      ['department', 'a\u202eb', 'must not hold control characters'],
      ['department', 'a\0b', 'must not hold NUL characters or lone surrogates'],
      ['home_page', 'javascript:alert(1)', 'must be an http or https address'],
      ['shoe_size', '42', 'must be integer'],
      ['shoe_size', 42.5, 'must be integer'],
      ['shoe_size', 61, 'must be <= 60'],
      ['size', 'XL', 'must be one of S, M, L'],
      ['newsletter', 'true', 'must be boolean'],
    ]
    for (const [name, value, message] of cases) {
      const answer = await put(url, { [name]: value })
      assert.deepEqual([answer.status, answer.body], [400, refused(name, message)], name)
    }
    const both = await put(url, { department: 7, shoe_size: 1, unknown: 1 })
    assert.deepEqual(both.body.details.map(({ path }: { path: string[] }) => path[1]).toSorted(), [
      'department',
      'shoe_size',
      'unknown',
    ])
    for (const profile of [[], 'x', null]) {
      const answer = await put(url, profile)
      assert.deepEqual(answer.body.details, [{ path: ['profile'], message: 'must be object' }])
    }
    assert.deepEqual(await stored(who.userId), [])
  })

  test('a unique value belongs to one account, whatever its case', async () => {
    const [one, other] = [await someone(), await someone()]
    await put(one.url, { employee_number: 'E-17' })
    assert.equal((await put(one.url, { employee_number: 'e-17' })).status, 200)
    const answer = await put(other.url, { employee_number: 'Ｅ-17', department: 'Sales' })
    assert.deepEqual(
      [answer.status, answer.body],
      [409, { error: 'Profile value already exists', field: 'employee_number' }],
    )
    assert.deepEqual(await stored(other.who.userId), [])
    for (const same of ['E-17 ', ' e-17', 'E-\u200b17', 'E-1\u00ad7', 'E-17\u2800']) {
      assert.equal((await put(other.url, { employee_number: same })).status, 409, escape(same))
    }
    assert.deepEqual(await stored(other.who.userId), [])
    await put(one.url, { employee_number: null })
    assert.equal((await put(other.url, { employee_number: 'E-17' })).status, 200)
  })

  test('of concurrent requests for a unique value one succeeds', async () => {
    const all = await Promise.all(Array.from({ length: 6 }, someone))
    const answers = await Promise.all(all.map(({ url }) => put(url, { employee_number: 'R-1' })))
    const statuses = answers.map(({ status }) => status).toSorted()
    assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409])
  })

  test('everyone reads what is public, of accounts that can be used', async () => {
    const { who, url } = await someone()
    const shared = `/api/public/profiles/${who.userId}`
    await put(url, { department: 'Sales' })
    assertRefusal(await app.call('GET', shared), 404, 'User not found')
    await put(url, { motto: 'Onward' })
    const answer = await app.call('GET', shared)
    assert.deepEqual(
      [answer.status, answer.body],
      [200, { user_id: who.userId, profile: { motto: 'Onward' } }],
    )
    for (const id of ['0', 'x', '999999999']) {
      assertRefusal(await app.call('GET', `/api/public/profiles/${id}`), 404, 'User not found')
    }
    for (const [json, status] of [
      [{ locked: true }, 404],
      [{ locked: false }, 200],
      [{ active: false }, 404],
    ] as const) {
      await app.call('PUT', `/api/admin/accounts/${who.username}`, { headers: admin, json })
      assert.equal((await app.call('GET', shared)).status, status, JSON.stringify(json))
    }
    assertRefusal(await app.call('GET', shared), 404, 'User not found')
  })

  test('the users resource keeps id, name and email', async () => {
    const { who, url } = await someone()
    await put(url, { department: 'Sales' })
    const { body } = await app.call('GET', `/users/${who.userId}`, { headers: admin })
    assert.deepEqual(Object.keys(body), ['id', 'name', 'email'])
  })

  test('others may neither read nor write a profile', async () => {
    const [one, other] = [await someone(), await someone()]
    for (const answer of [
      await app.call('GET', one.url, other.own),
      await put(one.url, { department: 'x' }, other.own.headers),
    ]) {
      assertRefusal(answer, 403, 'Access denied')
    }
    assertRefusal(await app.call('GET', one.url), 401, 'Authentication required')
    const missing = '/api/admin/accounts/nobody-here/profile'
    assertRefusal(await put(missing, { department: 'x' }), 404, 'Account not found')
    assert.deepEqual(await stored(one.who.userId), [])
  })

  test('the audit log has the names of changed fields, and no values', async () => {
    const { who, url } = await someone()
    await put(url, { department: 'Secret plans', motto: 'Onward' })
    await put(url, { department: 'Secret plans' })
    const query = `type=profile_changed&target=${who.userId}`
    const { body } = await app.call('GET', `/api/admin/audit?${query}`, { headers: admin })
    assert.equal(body.data.length, 1)
    assert.deepEqual(body.data[0].details.fields, ['department', 'motto'])
    assert.ok(!JSON.stringify(body).includes('Secret plans'))
  })

  test('account details, the export of personal data and the end of the account', async () => {
    const { who, own, url } = await someone()
    await put(url, { department: 'Sales', note: 'Key 7' })
    const details = await app.call('GET', url.replace('profile', 'details'), { headers: admin })
    assert.deepEqual(details.body.profile.profile, { department: 'Sales', note: 'Key 7' })
    const exported = await app.call('GET', '/api/account/export', own)
    assert.deepEqual(exported.body.data.profile, [
      { field: 'department', value: 'Sales' },
      { field: 'note', value: 'Key 7' },
    ])
    await app.call('DELETE', `/users/${who.userId}`, { headers: admin })
    assert.deepEqual(await stored(who.userId), [])
  })
})

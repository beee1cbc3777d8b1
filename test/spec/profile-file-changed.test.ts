// A database makes a difference: a unique index over values that are there already.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type Headers, testApp } from '../app.ts'
import { profileFile, writeProfile } from '../profile-file.ts'

const fields = {
  department: { type: 'string', maxLength: 20 },
  motto: { type: 'string', read: 'public', write: 'owner' },
}
const path = profileFile(fields)

suite('a changed PROFILE_FILE', async () => {
  const app = await testApp({ PROFILE_FILE: path })
  const admin: Headers = app.basic(app.admin)
  const run = (job: string) => app.app.jobs.find(({ name }) => name === job)?.run()
  const change = async (properties: object) => {
    writeProfile(path, { properties })
    await run('profile file')
  }
  const url = '/api/admin/accounts/early/profile'
  const names = async () => {
    const { body } = await app.call('GET', url, { headers: admin })
    return body.fields.map(({ name }: { name: string }) => name)
  }
  const [one, other] = [await app.account('early'), await app.account('later')]
  const call = (who: { username: string }, profile: object) =>
    app.call('PUT', `/api/admin/accounts/${who.username}/profile`, {
      headers: admin,
      json: { profile },
    })

  test('a file with mistakes is not taken up; the fields before stay', async () => {
    writeProfile(path, '{')
    await run('profile file')
    assert.deepEqual(await names(), Object.keys(fields))
    writeProfile(path, { properties: { department: { type: 'string', claims: null } } })
    await run('profile file')
    assert.deepEqual(await names(), Object.keys(fields))
    assert.deepEqual(app.log.findLast((line) => Array.isArray(line.mistakes))?.mistakes, [
      'PROFILE_FILE field "department" has "claims" that are no list of access_token, id_token, userinfo',
    ])
  })

  test('values of a removed field are hidden, and are back with the field', async () => {
    await call(one, { department: 'Sales', motto: 'Onward' })
    const { department: _, ...others } = fields
    await change(others)
    const hidden = await app.call('GET', url, { headers: admin })
    assert.deepEqual(hidden.body.profile, { motto: 'Onward' })
    assert.equal((await call(one, { department: 'x' })).status, 400)
    await change(fields)
    const back = await app.call('GET', url, { headers: admin })
    assert.deepEqual(back.body.profile, { department: 'Sales', motto: 'Onward' })
  })

  test('a field that becomes unique: later values collide, equal earlier ones are marked', async () => {
    await call(other, { department: 'SALES' })
    await change({ ...fields, department: { type: 'string', unique: true } })
    await run('unique profile values')
    const third = await app.account('third')
    assert.equal((await call(third, { department: 'sales' })).status, 409)
    const rows = await app.deps.db
      .selectFrom('profile_values')
      .select(['user_id', 'unique_key'])
      .where('field', '=', 'department')
      .orderBy('user_id')
      .execute()
    assert.deepEqual(
      rows.map(({ user_id, unique_key }) => [user_id, unique_key?.startsWith('duplicate ')]),
      [
        [one.userId, false],
        [other.userId, true],
      ],
    )
  })

  test('a value of two accounts stays theirs when the first gives it up', async () => {
    const duplicates = async () => {
      const rows = await app.deps.db
        .selectFrom('profile_values')
        .select('user_id')
        .where('field', '=', 'department')
        .where('unique_key', 'like', 'duplicate %')
        .execute()
      return rows.map(({ user_id }) => user_id)
    }
    const taken = { error: 'Profile value already exists', field: 'department' }
    const fourth = await app.account('fourth')
    assert.equal((await call(one, { department: 'Other' })).status, 200)
    assert.deepEqual((await call(fourth, { department: 'sales' })).body, taken)
    assert.deepEqual(await duplicates(), [other.userId])
    await run('unique profile values')
    assert.deepEqual(await duplicates(), [])
    assert.deepEqual((await call(fourth, { department: 'sales' })).body, taken)
    assert.deepEqual((await call(one, { department: 'sales' })).body, taken)
    assert.equal((await call(other, { department: null })).status, 200)
    assert.equal((await call(fourth, { department: 'sales' })).status, 200)
  })

  test('of three equal values one key passes on at a time, also when an account ends', async () => {
    const three = [await app.account('tic'), await app.account('tac'), await app.account('toe')]
    await change({ ...fields, team: { type: 'string' } })
    for (const who of three) await call(who, { team: 'Blue' })
    const team = { type: 'string', unique: true }
    await change({ ...fields, team })
    await run('unique profile values')
    const keys = async () => {
      const rows = await app.deps.db
        .selectFrom('profile_values')
        .select('unique_key')
        .where('field', '=', 'team')
        .execute()
      return rows.map(({ unique_key }) => unique_key?.startsWith('duplicate ')).toSorted()
    }
    assert.deepEqual(await keys(), [false, true, true])
    const [first] = await app.deps.db
      .selectFrom('profile_values')
      .select('user_id')
      .where('field', '=', 'team')
      .where('unique_key', 'not like', 'duplicate %')
      .execute()
    await app.call('DELETE', `/users/${first?.user_id}`, { headers: admin })
    const late = await app.account('late')
    assert.equal((await call(late, { team: 'BLUE' })).status, 409)
    await run('unique profile values')
    await run('unique profile values')
    assert.deepEqual(await keys(), [false, true])
    assert.equal((await call(late, { team: 'BLUE' })).status, 409)
  })
})

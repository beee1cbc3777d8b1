// A database makes a difference: names, ids and addresses collide in its indexes.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { gatehouse } from '../cli/gatehouse.ts'
import { nodes } from '../database.ts'

suite('accounts of other products that collide', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const file = join(app.directory, 'export')
  const run = (content: string, more = '') => {
    writeFileSync(file, content)
    return gatehouse(app.directory, `import --from pocketbase ${more} ${file}`, nodes)
  }
  async function refused(content: string, told: string | RegExp) {
    const before = await app.rows('imports')
    const { code, stderr } = await run(content)
    assert.equal(code, 1, stderr)
    const [first = ''] = stderr.split('\n')
    if (typeof told === 'string') assert.equal(first, told)
    else assert.match(first, told)
    assert.deepEqual(await app.rows('imports'), before)
  }
  const lines = (users: readonly object[]) =>
    users.map((one) => `${JSON.stringify(one)}\n`).join('')
  const user = (name: string, more: object = {}) => ({
    ...{ id: `id-of-${name}`, email: `${name}@example.org`, username: name, ...more },
  })

  test('names and ids that are there twice, and an address that two have verified', async () => {
    await refused(
      lines([user('ann'), user('ANN', { id: 'another' })]),
      'line 2: username is on line 1 already',
    )
    await refused(
      lines([user('ann'), user('bob', { id: 'id-of-ann' })]),
      'line 2: id is on line 1 already',
    )
    const verified = { verified: true, email: 'Ann@example.org' }
    await refused(
      lines([user('ann', { verified: true }), user('bob', verified)]),
      'line 2: email is on line 1 already',
    )
    await refused(lines([user('ann', { id: undefined })]), /^line 1: id is missing/)
    await refused(lines([user('ann', { id: 'x'.repeat(300) })]), /^line 1: id must/)
  })

  test('an export with ADMIN gives no role without --roles', async () => {
    const lone = user('eve', { role: 'ADMIN', roles: ['ROLE_ADMIN'], name: '=HYPERLINK("x")' })
    const { code, stderr } = await run(lines([lone]))
    assert.equal(code, 0)
    assert.deepEqual(stderr.trim().split('\n').toSorted(), [
      'no role for "ADMIN" (1 accounts): --roles',
      'no role for "ROLE_ADMIN" (1 accounts): --roles',
    ])
    const eve = (await app.call('GET', '/api/admin/accounts/eve', { headers })).body
    assert.deepEqual(eve.roles, [])
    const again = lines([{ ...lone, id: 'id-of-eve', email: 'other@example.org' }])
    assert.equal((await run(again)).code, 0)
    const present = await app.call('GET', `/users/${eve.user_id}`, { headers })
    assert.equal(present.body.email, 'other@example.org')
  })

  test('a further import takes no address that another account has verified', async () => {
    const one = user('one', { verified: true })
    assert.equal((await run(lines([one, user('two')]))).code, 0)
    const thief = user('two', { verified: true, email: 'one@example.org' })
    const { code, stderr } = await run(lines([thief]))
    assert.equal(code, 1)
    assert.match(stderr, /^line 1: email is the verified address of another account$/m)
    const rows = await app.deps.db
      .selectFrom('accounts')
      .select(['username', 'verified_email'])
      .where('verified_email', '=', 'one@example.org')
      .execute()
    assert.deepEqual(rows, [{ username: 'one', verified_email: 'one@example.org' }])
  })

  test('an import takes the last administrator no role', async () => {
    const roles = join(app.directory, 'roles')
    writeFileSync(roles, '{}')
    await app.deps.db
      .insertInto('imported_ids')
      .values({ source: 'pocketbase', external_id: 'of-admin', user_id: app.admin.userId })
      .execute()
    const { email, name } = (await app.call('GET', `/users/${app.admin.userId}`, { headers })).body
    const line = lines([user('admin', { id: 'of-admin', email, name })])
    const { code, stderr } = await run(line, `--roles ${roles}`)
    assert.deepEqual(
      [code, stderr.split('\n')[0]],
      [1, 'line 1: roles would leave no administrator'],
    )
  })
})

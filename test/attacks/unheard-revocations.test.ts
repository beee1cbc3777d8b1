// A database makes a difference: PostgreSQL makes sure of the log of revocations at the commit.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { connectTo, deafFeed } from '../database.ts'
import { assertRefusal } from '../refusal.ts'

/** Two nodes, of which the first believes to know all changes, and hears of none. */
async function unhearing() {
  const { db, asyncCommitDb, directory } = await connectTo()
  const feed = { ...deafFeed, isCurrent: () => true }
  const one = await testApp({}, { directory, deps: { db, asyncCommitDb, feed } })
  const two = await testApp({}, { directory, clock: one.clock })
  const users = async () => (await db.selectFrom('users').select('id').execute()).length
  return { one, two, users }
}

suite('a revocation of which a node has not heard', async () => {
  const { one, two, users } = await unhearing()
  const json = { name: 'Ann', email: 'ann@example.org' }
  const headers = await one.bearer(one.admin)
  const other = await one.bearer(one.admin)
  const create = (by: typeof headers) => one.call('POST', '/users', { headers: by, json })

  test('refuses the change of its token, and nothing changes', async () => {
    assert.equal((await create(headers)).status, 201)
    const before = await users()
    assert.equal((await two.call('POST', '/logout', { headers })).status, 200)
    assert.equal((await one.call('GET', '/api/me', { headers })).status, 200) // unheard
    assertRefusal(await create(headers), 401, 'Invalid or expired token')
    assert.equal(await users(), before)
  })

  test('lets the change of another token be made once', async () => {
    const ended = await two.bearer(two.admin)
    assert.equal((await two.call('POST', '/logout', { headers: ended })).status, 200)
    const before = await users()
    assert.equal((await create(other)).status, 201)
    assert.equal((await create(other)).status, 201)
    assert.equal(await users(), before + 2)
  })
})

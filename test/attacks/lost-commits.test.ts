// A database makes a difference: a commit may be lost.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { type Headers, type TestApp, testApp } from '../app.ts'
import { heard, testDatabase } from '../database.ts'
import { assertRefusal } from '../refusal.ts'

/**
 * A replica that takes over may not have heard of the last commits; a backup has not. What the nodes
 * still know must hold, and ids that are given a second time must hide nothing.
 */
suite('a database that has lost its last commits', () => {
  const status = async (node: TestApp, headers: Headers) =>
    (await node.call('GET', '/users?limit=1', { headers })).status
  const logOut = (node: TestApp, headers: Headers) => node.call('POST', '/logout', { headers })
  /** Two nodes that share everything; `start` adds one more, which knows the database alone. */
  const nodes = async () => {
    const one = await testApp()
    const shared = { directory: one.directory, clock: one.clock }
    const two = await testApp({}, { ...shared })
    const { db } = one.deps
    const newestId = async () => {
      const log = db.selectFrom('revocations').select('id').orderBy('id', 'desc')
      return (await log.executeTakeFirst())?.id ?? 0
    }
    return {
      one,
      two,
      newestId,
      start: () => testApp({}, { ...shared }),
      statuses: (headers: Headers) => Promise.all([one, two].map((node) => status(node, headers))),
      hear: () => Promise.all([one, two].map(heard)),
      lost: () =>
        [one, two].flatMap(({ log }) => log.filter(({ event }) => event === 'sys_commits_lost')),
      /** Entries behind `id` are gone, and their ids given again. */
      async lose(id: number) {
        await db.deleteFrom('revocations').where('id', '>', id).execute()
        const sequence =
          testDatabase === 'sqlite'
            ? sql`update sqlite_sequence set seq = ${id} where name = 'revocations'`
            : sql`select setval(pg_get_serial_sequence('revocations', 'id'), ${id + 1}, false)`
        await sequence.execute(db)
      },
    }
  }

  test('T58: a revocation below those that a node has read ends its token there, too', async () => {
    const { one, newestId, lose, start, hear, statuses, lost } = await nodes()
    await logOut(one, await one.bearer(one.admin))
    const kept = await newestId()
    const gone = [await one.bearer(one.admin), await one.bearer(one.admin)]
    const good = await one.bearer(one.admin)
    const ended = await one.bearer(one.admin)
    for (const headers of gone) await logOut(one, headers)
    await hear()
    for (const headers of gone) assert.deepEqual(await statuses(headers), [401, 401])

    await lose(kept)
    // One that starts now knows nothing of what was lost.
    const three = await start()
    assert.equal(await status(three, gone[0] ?? {}), 200)
    await logOut(three, ended)
    assert.equal(await newestId(), kept + 1, 'an id that was given before')

    await hear()
    assert.deepEqual(await statuses(ended), [401, 401])
    assert.deepEqual(await statuses(good), [200, 200])
    await heard(three)
    for (const headers of [...gone, ended]) {
      assert.deepEqual(await statuses(headers), [401, 401])
      assert.equal(await status(three, headers), 401, 'what was lost is written again')
    }
    assert.equal(await status(three, good), 200)
    assert.ok(lost().length > 0)
    assert.equal(await newestId(), kept + 3, 'once each')
  })

  test('T58: a pair that had ended stays so, its refresh token too', async () => {
    const { one, two, newestId, lose, start, hear } = await nodes()
    await logOut(one, await one.bearer(one.admin))
    const kept = await newestId()
    const { access_token, refresh_token } = await one.pair(one.admin)
    await logOut(one, { authorization: `Bearer ${access_token}` })
    await hear()
    await lose(kept)
    await one.deps.db.deleteFrom('refresh_families_ended').execute()
    await logOut(two, await two.bearer(two.admin)) // with an id that was given before
    await hear()
    assert.equal(await status(one, { authorization: `Bearer ${access_token}` }), 401)
    await hear()
    const three = await start()
    for (const node of [one, two, three]) {
      const answer = await node.call('POST', '/refresh', { json: { refresh_token } })
      assertRefusal(answer, 401, 'Invalid refresh token')
    }
  })

  test('T57: tokens of a user that had ended stay so, and new ones pass', async () => {
    const { one, two, newestId, lose, start, hear, statuses } = await nodes()
    const { db } = one.deps
    const ann = await one.account('ann', ['ADMIN'])
    const headers = await one.bearer(ann)
    const versions = await db.selectFrom('token_versions').selectAll().execute()
    const kept = await newestId()
    const change = { password: 'a wholly other phrase, 1953' }
    const path = `/api/admin/accounts/${ann.username}`
    await one.call('PUT', path, { headers: one.basic(one.admin), json: change })
    await hear()
    assert.deepEqual(await statuses(headers), [401, 401])

    await lose(kept)
    for (const { user_id, ...columns } of versions) {
      await db.updateTable('token_versions').set(columns).where('user_id', '=', user_id).execute()
    }
    await hear()
    // An entry more, so that SQLite's nodes look as well.
    await logOut(two, await two.bearer(two.admin))
    await hear()
    assert.deepEqual(await statuses(headers), [401, 401])
    const fresh = await one.bearer({ ...ann, ...change })
    assert.deepEqual(await statuses(fresh), [200, 200])
    const three = await start()
    assert.equal(await status(three, headers), 401)
    assert.equal(await status(three, fresh), 200)
  })

  test('T57: tokens of a version that is given a second time end with it', async () => {
    const { one, two, newestId, lose, start, hear, statuses } = await nodes()
    const { db } = one.deps
    const ann = await one.account('ann', ['ADMIN'])
    const versions = await db.selectFrom('token_versions').selectAll().execute()
    const kept = await newestId()
    const path = `/api/admin/accounts/${ann.username}`
    const admin = one.basic(one.admin)
    const first = { password: 'a wholly other phrase, 1953' }
    await one.call('PUT', path, { headers: admin, json: first })
    const headers = await one.bearer({ ...ann, ...first })
    await hear()
    assert.deepEqual(await statuses(headers), [200, 200])

    await lose(kept)
    for (const { user_id, ...columns } of versions) {
      await db.updateTable('token_versions').set(columns).where('user_id', '=', user_id).execute()
    }
    const three = await start()
    one.clock.advance(1)
    const second = { password: 'and one that is other again, 1954' }
    await three.call('PUT', path, { headers: admin, json: second })
    await hear()
    await logOut(two, await two.bearer(two.admin)) // so that SQLite's nodes look as well
    await hear()
    assert.deepEqual(await statuses(headers), [401, 401])
    await heard(three)
    assert.equal(await status(three, headers), 401)
    const fresh = await three.bearer({ ...ann, ...second })
    await hear()
    assert.deepEqual(await statuses(fresh), [200, 200])
    assert.equal(await status(three, fresh), 200)
  })

  test('a lost commit of expired rows has no effect', async () => {
    const { one, two, hear, statuses, lost } = await nodes()
    await logOut(one, await one.bearer(one.admin))
    await hear()
    const good = await two.bearer(two.admin)
    one.clock.advance(3600 + 86_400 + 1)
    for (const job of one.app.jobs) await job.run()
    const fresh = await two.bearer(two.admin)
    await logOut(two, fresh)
    await hear()
    assert.deepEqual(await statuses(fresh), [401, 401])
    assert.deepEqual(await statuses(good), [401, 401], 'expired')
    assert.deepEqual(await statuses(await one.bearer(one.admin)), [200, 200])
    assert.deepEqual(lost(), [])
  })
})

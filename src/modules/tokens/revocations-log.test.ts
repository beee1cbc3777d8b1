import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { deafFeed } from '../../../test/database.ts'
import { twoProcesses } from '../../../test/revocations.ts'

const daySeconds = 86_400

/** A feed that a test controls. */
function controlled() {
  const state = { isCurrent: true, version: 1 }
  const feed = { ...deafFeed, isCurrent: () => state.isCurrent, version: () => state.version }
  return { state, feed }
}

suite('the log of revocations that a process follows', () => {
  test('is read when the feed has changed or is not current, and not in between', async () => {
    const { state, feed } = controlled()
    const { one, load, claimsOf, seconds } = await twoProcesses(feed)
    const other = await load()
    const refuses = (jti: string) => one.refuses(claimsOf(jti))
    assert.equal(refuses('a'), false, 'at once')
    await other.revoke({ jti: 'a', exp: seconds() + 60 })
    assert.equal(refuses('a'), false, 'not heard of yet')
    state.version += 1
    const answer = refuses('a')
    assert.ok(answer instanceof Promise)
    assert.equal(await answer, true)
    assert.equal(refuses('a'), true, 'at once')
    await other.revoke({ jti: 'b', exp: seconds() + 60 })
    const { epoch } = one
    state.isCurrent = false
    assert.equal(await refuses('b'), true)
    assert.ok(refuses('b') instanceof Promise, 'for each decision')
    assert.equal(await one.refusesRefresh({ rid: 'b' }), false)
    state.isCurrent = true
    assert.notEqual(one.epoch, epoch)
    assert.equal(refuses('b'), true)
    assert.equal(one.refusesRefresh({ rid: 'b' }), false, 'at once')
  })

  test('a version that changes during the read is not taken for read', async () => {
    const { state, feed } = controlled()
    const { one, claimsOf } = await twoProcesses(feed)
    state.version += 1
    const reading = one.refuses(claimsOf('a'))
    state.version += 1
    assert.equal(await reading, false)
    assert.ok(one.refuses(claimsOf('a')) instanceof Promise)
  })

  test('an end holds for a day after the expiry: a clock may be set back', async () => {
    const { one, load, claimsOf, seconds, clock } = await twoProcesses()
    await one.revoke({ jti: 'a', exp: seconds() + 60 })
    clock.advance(60 + daySeconds - 1)
    assert.equal(await (await load()).refuses(claimsOf('a')), true)
    clock.advance(1)
    assert.equal(await (await load()).refuses(claimsOf('a')), false)
  })

  test('entries that follow an expired one are read, and nothing is stored again', async () => {
    const { one, load, claimsOf, seconds, clock, emitted, log } = await twoProcesses()
    const other = await load()
    await one.revoke({ jti: 'long', exp: seconds() + 30 * daySeconds })
    await one.revoke({ jti: 'short', exp: seconds() + 60 })
    clock.advance(60 + daySeconds)
    await other.revoke({ jti: 'later', exp: seconds() + 60 })
    await other.purge(10)
    one.appended()
    for (const jti of ['long', 'later']) {
      assert.equal(await one.refuses(claimsOf(jti)), true, jti)
    }
    assert.equal(await one.refuses(claimsOf('another')), false)
    const tokens = (await log()).map(({ token }) => token)
    assert.deepEqual([tokens, emitted], [['long', 'later'], []])
  })

  test('an entry with the id of a lost one is another entry: both count', async () => {
    const { one, load, db, claimsOf, seconds, emitted } = await twoProcesses()
    await one.revoke({ jti: 'lost', exp: seconds() + 60 })
    const [lost] = await db.selectFrom('revocations').selectAll().execute()
    await db.updateTable('revocations').set({ token: 'other' }).execute()
    one.appended()
    assert.equal(await one.refuses(claimsOf('other')), true)
    assert.equal(await one.refuses(claimsOf('lost')), true)
    assert.deepEqual(emitted, [['sys_commits_lost', { revocations_restored: 1 }]])
    const rows = await db.selectFrom('revocations').selectAll().orderBy('id').execute()
    assert.deepEqual(
      rows.map(({ token }) => token),
      ['other', 'lost'],
    )
    assert.equal(rows[1]?.expires_at, (lost?.expires_at ?? 0) + 1)
    assert.equal(await (await load()).refuses(claimsOf('lost')), true)
  })

  test('an end without end is stored again for as long', async () => {
    const { one, db, claimsOf, log } = await twoProcesses()
    await one.revoke({ jti: 'far', exp: 1e300 })
    await db.deleteFrom('revocations').execute()
    one.appended()
    assert.equal(await one.refuses(claimsOf('far')), true)
    const [row] = await log()
    assert.deepEqual([row?.token, row?.expires_at], ['far', Number.MAX_SAFE_INTEGER])
  })
})

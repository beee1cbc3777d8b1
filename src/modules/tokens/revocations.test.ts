import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { twoProcesses } from '../../../test/revocations.ts'
import { lockName, transact } from '../../core/database/transactions.ts'
import { rotationStore } from './rotation-store.ts'

const daySeconds = 86_400

/** Counts the authorizations of the caller, and the further work of the transaction. */
function counting() {
  const count = { guards: 0, works: 0 }
  const authorize = async () => {
    count.guards += 1
  }
  const also = async () => {
    count.works += 1
  }
  return { count, guard: { lockNames: () => [], authorize }, also }
}

suite('revocations of access tokens', () => {
  test('an ended token is refused, by every process, and no other', async () => {
    const { one, load, seconds, claimsOf, log, clock } = await twoProcesses()
    const earlier = await load()
    assert.equal(await one.refuses(claimsOf('a')), false)
    await one.revoke({ jti: 'a', exp: seconds() + 60.0001 })
    for (const process of [one, earlier, await load()]) {
      assert.equal(await process.refuses(claimsOf('a')), true)
      assert.equal(process.reasonOf(claimsOf('a')).code, 'token_revoked')
      assert.equal(await process.refuses(claimsOf('b')), false)
    }
    const [row] = await log()
    assert.deepEqual([row?.token, row?.expires_at], ['a', clock.now() + 60_001])
    await one.revoke({ jti: 'far', exp: 1e300 })
    assert.equal((await log())[1]?.expires_at, Number.MAX_SAFE_INTEGER)
  })

  test('a token that has expired is not stored; the caller is authorized all the same', async () => {
    const { one, seconds, log } = await twoProcesses()
    const { guard, count } = counting()
    await one.revoke({ jti: 'a', exp: seconds() }, { guard })
    await one.revoke({ jti: 'a', exp: seconds() })
    assert.deepEqual([await log(), count.guards], [[], 1])
    await one.revoke({ jti: 'a', exp: seconds() + 1 }, { guard })
    assert.deepEqual([(await log()).length, count.guards], [1, 2])
  })

  test('a second end writes nothing, unless it is for longer', async () => {
    const { one, seconds, log, claimsOf } = await twoProcesses()
    const { count, ...options } = counting()
    const revoke = (exp: number) => one.revoke({ jti: 'a', exp: seconds() + exp }, options)
    for (const exp of [60, 60, 59]) await revoke(exp)
    assert.deepEqual([(await log()).length, count.guards, count.works], [1, 3, 1])
    await revoke(61)
    assert.deepEqual([(await log()).length, count.guards, count.works], [2, 4, 2])
    await one.endPair('s', seconds() + 60, options)
    await one.endPair('s', seconds() + 90, options)
    assert.deepEqual([(await log()).length, count.guards, count.works], [3, 6, 3])
    assert.equal(await one.refuses(claimsOf('b', { sid: 's' })), true)
  })

  test('a pair ends in the log for a day, and in its table for as long as its tokens live', async () => {
    const { one, load, clock, db, seconds, claimsOf, log } = await twoProcesses()
    await one.endPair('s', seconds() + 60)
    const [row] = await log()
    assert.deepEqual([row?.token, row?.expires_at], ['pair s', clock.now() + daySeconds * 1000])
    const ended = await db.selectFrom('refresh_families_ended').selectAll().execute()
    assert.deepEqual(ended, [{ family: 's', expires_at: seconds() + 604_800 }])
    const claims = claimsOf('a', { sid: 's' })
    assert.equal(await one.refuses(claims), true)
    assert.equal(one.reasonOf(claims).code, 'token_pair_ended')
    await db.deleteFrom('revocations').execute()
    const fresh = await load()
    assert.equal(await fresh.refuses(claims), false, 'the log is what counts for a day')
    clock.advance(daySeconds - 0.001)
    assert.equal(await fresh.refuses(claims), false)
    clock.advance(0.001)
    assert.equal(await fresh.refuses(claims), true)
    assert.equal(await fresh.refuses({ ...claims, sid: 'other' }), false)
    assert.equal(fresh.reasonOf(claims).code, 'token_revoked_earlier')
  })

  test('a version of a user ends the tokens below it, for a week by the log, then by its table', async () => {
    const { one, load, clock, db, userId, claimsOf, log } = await twoProcesses()
    await transact(db, [], (trx) => one.revokeBelow(trx, userId, 2))
    one.appended()
    const [row] = await log()
    assert.deepEqual(
      [row?.user_id, row?.access_version, row?.expires_at],
      [userId, 2, clock.now() + 7 * daySeconds * 1000],
    )
    const old = claimsOf('a')
    assert.equal(await one.refuses(old), true)
    assert.equal(await one.refuses({ ...old, ver: 2 }), false)
    await db.deleteFrom('revocations').execute()
    const versions = { user_id: userId, access_version: 2, refresh_version: 1 }
    await db.insertInto('token_versions').values(versions).execute()
    const fresh = await load()
    clock.advance(7 * daySeconds - 0.001)
    assert.equal(await fresh.refuses(old), false)
    clock.advance(0.001)
    assert.equal(await fresh.refuses(old), true)
    assert.equal(await fresh.refuses({ ...old, ver: 2 }), false)
  })

  test('the epoch changes once the database may have changed', async () => {
    const { one, seconds, claimsOf } = await twoProcesses()
    const { epoch } = one
    await one.refuses(claimsOf('a'))
    assert.equal(one.epoch, epoch)
    await one.revoke({ jti: 'a', exp: seconds() + 60 })
    assert.notEqual(one.epoch, epoch)
  })

  test('a refresh token that an earlier version ended is refused', async () => {
    const { one, db, clock } = await twoProcesses()
    const token = 'refresh r'
    await db
      .insertInto('revocations')
      .values({ token, user_id: null, access_version: null, expires_at: clock.now() + 60_000 })
      .execute()
    assert.equal(await one.refusesRefresh({ rid: 'r' }), false, 'not read yet')
    one.appended()
    assert.equal(await one.refusesRefresh({ rid: 'r' }), true)
    assert.equal(await one.refusesRefresh({ rid: 'r' }), true)
    assert.equal(await one.refusesRefresh({ rid: 'other' }), false)
  })

  test('a transaction sees its own entries, and those that this process has not read', async () => {
    const { one, db, userId, claimsOf, seconds } = await twoProcesses()
    await one.revoke({ jti: 'known', exp: seconds() + 60 })
    await transact(db, [lockName.revocations], async (trx) => {
      assert.equal(await one.refusesBy(trx, claimsOf('a')), false)
      assert.equal(await one.refusesBy(trx, claimsOf('known')), true)
      await one.revokeBelow(trx, userId, 2)
      assert.equal(await one.refusesBy(trx, claimsOf('a')), true)
      assert.equal(await one.refusesBy(trx, claimsOf('a', { ver: 2 })), false)
      assert.equal(await one.refusesBy(trx, claimsOf('a', { sub: String(userId + 1) })), false)
    })
  })

  test('a transaction looks an old token up in the tables', async () => {
    const { one, db, claimsOf, seconds, clock } = await twoProcesses()
    const claims = claimsOf('a', { sid: 's' })
    clock.advance(daySeconds)
    await transact(db, [lockName.revocations], async (trx) => {
      assert.equal(await one.refusesBy(trx, claims), false)
      await rotationStore(trx).end('s', seconds() + 60)
      assert.equal(await one.refusesBy(trx, claims), true)
    })
  })

  test('what expired a day ago is purged, from the log and from memory', async () => {
    const { one, seconds, clock, log, claimsOf } = await twoProcesses()
    await one.revoke({ jti: 'a', exp: seconds() + 60 })
    await one.revoke({ jti: 'b', exp: seconds() + 61 })
    clock.advance(60 + daySeconds - 0.001)
    assert.equal(await one.purge(10), 0)
    clock.advance(0.001)
    assert.equal(await one.purge(10), 1)
    assert.deepEqual(
      (await log()).map(({ token }) => token),
      ['b'],
    )
    assert.equal(await one.refuses(claimsOf('a')), false)
    assert.equal(await one.refuses(claimsOf('b')), true)
  })

  test('what the database has lost is stored again, and recorded', async () => {
    const { one, load, db, userId, seconds, log, claimsOf, emitted, clock } = await twoProcesses()
    await one.revoke({ jti: 'a', exp: seconds() + 60 })
    await one.endPair('s', seconds() + 60)
    const versions = { user_id: userId, access_version: 1, refresh_version: 1 }
    await db.insertInto('token_versions').values(versions).execute()
    await transact(db, [], (trx) => one.revokeBelow(trx, userId, 2))
    one.appended()
    const claims = claimsOf('b', { sid: 's' })
    assert.equal(await one.refuses(claims), true)
    const before = await log()
    for (const table of ['revocations', 'refresh_families_ended'] as const) {
      await db.deleteFrom(table).execute()
    }
    one.appended()
    assert.equal(await one.refuses(claims), true)
    assert.deepEqual(emitted, [['sys_commits_lost', { revocations_restored: 3 }]])
    const stored = (rows: typeof before, added: number) =>
      rows.map(({ id: _, ...row }) => ({ ...row, expires_at: row.expires_at + added }))
    assert.deepEqual(stored(await log(), 0), stored(before, 1))
    assert.equal(await rotationStore(db).isEnded('s'), true)
    const { access_version } = await db
      .selectFrom('token_versions')
      .select('access_version')
      .executeTakeFirstOrThrow()
    assert.equal(access_version, 2)
    const fresh = await load()
    for (const jti of ['a', 'b']) assert.equal(await fresh.refuses(claimsOf(jti)), true)
    one.appended()
    await one.refuses(claims)
    assert.deepEqual([emitted.length, (await log()).length], [1, 3], 'once')
    clock.advance(30 * daySeconds)
    await db.deleteFrom('revocations').execute()
    one.appended()
    await one.refuses(claims)
    assert.equal(emitted.length, 1, 'nothing that counts is missing')
  })
})

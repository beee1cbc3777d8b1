// A database makes a difference: processes share the sessions, and write their activity later.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import type { TestApp } from '../../../test/app.ts'
import { fixedClock } from '../../../test/clock.ts'
import { refuseChanges } from '../../../test/database.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { sessionsOn, startsOn } from '../../../test/stored-sessions.ts'
import { storeAccounts } from '../../../test/stores.ts'
import { digest } from '../../core/crypto/digest.ts'
import { transact } from '../../core/database/transactions.ts'
import { addFactor, authTimeOf } from './sessions.ts'

const minute = 60

suite('sessions of several processes', async () => {
  const connected = await ownDatabase()
  const { db } = connected
  const clock = fixedClock()
  await storeAccounts(db, [{}, {}, { roles: ['ADMIN'] }])
  const strict = { REQUIRE_SECOND_FACTOR: 'ADMIN' }
  const { sessions, events } = sessionsOn(connected, clock, strict)
  const { sessions: elsewhere } = sessionsOn(connected, clock, strict)
  const { start, stateOf } = startsOn(db, clock, sessions)

  beforeEach(async () => {
    await sessions.flush()
    await elsewhere.flush()
    await db.deleteFrom('sessions').execute()
    events.length = 0
  })

  const left = async () => (await db.selectFrom('sessions').select('id').execute()).length
  const idOf = ({ secret }: { secret: string }) => digest(secret)
  const storedOf = async (session: { secret: string }) =>
    (await sessions.stored(idOf(session))) ?? assert.fail('the session has no row')
  const setAccount = (userId: number, values: { locked?: number; second_factor?: number }) =>
    db.updateTable('accounts').set(values).where('user_id', '=', userId).execute()

  test('activity is written by a flush, once', async () => {
    const [used, unused] = [await start(), await start()]
    const startedAt = clock.now()
    clock.advance(minute)
    await stateOf(used)
    assert.equal((await storedOf(used)).lastSeenAt, startedAt)
    assert.equal(await sessions.flush(), 1)
    assert.equal((await storedOf(used)).lastSeenAt, clock.now())
    assert.equal((await storedOf(unused)).lastSeenAt, startedAt)
    assert.equal(await sessions.flush(), 0)
    assert.equal(
      (await sessions.of(1)).find(({ id }) => id === idOf(used))?.lastSeenAt,
      clock.now(),
    )
  })

  test('activity that another process has written counts', async () => {
    const session = await start()
    assert.equal(await stateOf(session), 30 * minute)
    clock.advance(20 * minute)
    assert.equal(await stateOf(session, elsewhere), 30 * minute)
    clock.advance(15 * minute)
    assert.equal(await stateOf(session), 'session_idle', 'not written yet')
    await elsewhere.flush()
    assert.equal(await stateOf(session), 30 * minute)
    const kept = await storedOf(session)
    await sessions.flush()
    clock.advance(30 * minute)
    assert.equal(await stateOf(session), 'session_idle')
    assert.equal(await stateOf(session, elsewhere), 'session_idle')
    await db.deleteFrom('sessions').execute()
    assert.deepEqual(await sessions.resumeStored(kept), { ended: { code: 'session_unknown' } })
  })

  test('a transaction reads a session as it is then', async () => {
    const session = await start()
    clock.advance(minute)
    const again = await transact(db, [], (trx) => sessions.revalidate(trx, idOf(session)))
    assert.equal(again?.expiresAt, clock.now() + 1_800_000)
    assert.equal(await sessions.flush(), 1)
    assert.equal(await sessions.revalidate(db, digest('none')), null)
    clock.advance(30 * minute)
    assert.equal(await sessions.revalidate(db, idOf(session)), null)
  })

  test('a token of a session is judged without activity', async () => {
    const session = await start()
    const expiresAt = clock.now() + 1_800_000
    clock.advance(30 * minute - 0.001)
    assert.equal((await sessions.judge(idOf(session)))?.expiresAt, expiresAt)
    const stored = await storedOf(session)
    assert.equal(sessions.judgeStored(stored)?.expiresAt, expiresAt)
    assert.equal(await sessions.judge(digest('none')), null)
    assert.equal(await sessions.flush(), 0)
    clock.advance(0.001)
    assert.equal(await sessions.judge(idOf(session)), null)
    assert.equal(sessions.judgeStored(stored), null)
    await stateOf(await start())
    assert.equal(await sessions.flush(), 1)
  })

  test('a session of another credential is resumed as it was read', async () => {
    const session = await start()
    const stored = await storedOf(session)
    clock.advance(minute)
    const answer = await sessions.resumeStored(stored)
    assert.ok('stored' in answer)
    assert.equal(answer.expiresAt, clock.now() + 1_800_000)
    assert.equal(await sessions.flush(), 1)
  })

  test('once flushes have failed for 10 seconds, the database is asked for each session', async () => {
    const [session, used] = [await start(), await start()]
    const stored = await storedOf(session)
    await stateOf(used)
    const allow = await refuseChanges({ deps: { db } } as TestApp, 'update on sessions')
    clock.advance(1)
    await stateOf(used)
    await assert.rejects(sessions.flush())
    await db.deleteFrom('sessions').where('id', '=', stored.id).execute()
    const isLive = async () => !('ended' in (await sessions.resumeStored(stored)))
    clock.advance(9.999)
    await assert.rejects(sessions.flush())
    assert.equal(await isLive(), true)
    clock.advance(0.001)
    assert.equal(await isLive(), false)
    assert.equal(await stateOf(session), 'session_unknown')
    assert.equal(await stateOf(used), 30 * minute)
    await allow()
    assert.equal(await sessions.flush(), 2)
    assert.equal(await isLive(), true)
  })

  test('the account decides: unusable, without its factor, or before the enrolment', async () => {
    const [user, admin] = [await start(), await start({ userId: 3 })]
    const enrolled = await start({ userId: 3, amr: ['pwd', 'mfa'] })
    const needs = async (session: { secret: string }) => {
      const answer = await sessions.resume(session.secret)
      return 'ended' in answer ? answer.ended : answer.needsEnrolment
    }
    assert.equal(await needs(user), false)
    assert.equal(await needs(admin), true)
    assert.equal(await sessions.judge(idOf(admin)), null)
    assert.equal((await sessions.revalidate(db, idOf(admin)))?.needsEnrolment, true)
    await setAccount(3, { second_factor: 1 })
    const facts = { user_id: 3 }
    assert.deepEqual(await needs(admin), { code: 'session_without_factor', facts })
    assert.equal(await needs(enrolled), false)
    assert.equal(await sessions.revalidate(db, idOf(admin)), null)
    await setAccount(3, { second_factor: 0 })
    await setAccount(1, { locked: 1 })
    assert.deepEqual(await needs(user), {
      code: 'session_of_unusable_account',
      facts: { user_id: 1 },
    })
    assert.equal(await sessions.judge(idOf(user)), null)
    await setAccount(1, { locked: 0 })
    assert.equal(await needs(user), false)
  })

  test('the count leaves out what has ended, and a purge deletes it 10 seconds later', async () => {
    await start()
    await start({ keeps: 'asked' })
    clock.advance(30 * minute - 0.001)
    assert.equal(await sessions.count(), 2)
    clock.advance(0.001)
    assert.equal(await sessions.count(), 1)
    clock.advance(9.999)
    assert.equal(await sessions.purge(9), 0)
    clock.advance(0.001)
    events.length = 0
    assert.equal(await sessions.purge(9), 1)
    const ended_at = new Date(clock.now() - 10_000).toISOString()
    assert.deepEqual(events, [{ name: 'session_expired', payload: { user_id: 1, ended_at } }])
    assert.equal(await left(), 1)
    const { sessions: endless } = sessionsOn(connected, clock, {
      SESSION_ABSOLUTE_SECONDS: '0',
      SESSION_IDLE_SECONDS: '9999999',
    })
    const session = await start({ on: endless })
    clock.advance(9_000_000)
    assert.equal(await stateOf(session, endless), 9_999_999)
    assert.equal(await sessions.count(), 0)
    assert.equal(await endless.count(), 1)
  })

  test('the time of the login counts from all factors of the account', async () => {
    const { secret } = await start({ amr: ['pwd'] })
    const stored = (await sessions.stored(digest(secret))) ?? assert.fail()
    const now = clock.now()
    const of = (more: object, secondFactor = false) =>
      authTimeOf({ ...stored, account: { ...stored.account, secondFactor }, ...more })
    assert.equal(of({ authTime: 7 }), 7)
    assert.equal(of({ authTime: null }), now)
    assert.equal(of({ authTime: 7 }, true), 0)
    assert.equal(of({ authTime: 7, amr: ['pwd', 'mfa'] }, true), 7)
    assert.equal(of({ authTime: null, amr: ['fed'] }), 0)
    await transact(db, [], (trx) => addFactor(trx, digest(secret), ['otp', 'mfa']))
    assert.deepEqual((await sessions.stored(digest(secret)))?.amr, ['pwd', 'otp', 'mfa'])
  })

  test('a flush takes no activity from rows that were read before it', async () => {
    const session = await start()
    const stored = await storedOf(session)
    clock.advance(20 * minute)
    await stateOf(session)
    await sessions.flush()
    clock.advance(20 * minute)
    assert.equal(sessions.judgeStored(stored)?.expiresAt, clock.now() + 600_000)
  })

  test('a clock that is set back takes no activity away', async () => {
    const session = await start()
    clock.advance(minute)
    await stateOf(session)
    const seenAt = clock.now()
    clock.advance(-minute)
    assert.equal(await stateOf(session), 30 * minute)
    await sessions.flush()
    assert.equal((await storedOf(session)).lastSeenAt, seenAt)
    clock.advance(minute)
  })

  test('the list goes by activity that is not written yet', async () => {
    const session = await start()
    clock.advance(9.999)
    await stateOf(session)
    clock.advance(30 * minute - 9.999)
    const { lastSeenAt } = await storedOf(session)
    assert.equal(clock.now() - lastSeenAt, 1_800_000)
    assert.deepEqual(
      (await sessions.of(1)).map((one) => one.lastSeenAt - lastSeenAt),
      [9999],
    )
    clock.advance(9.998)
    assert.equal((await sessions.of(1)).length, 1)
    clock.advance(0.001)
    assert.deepEqual(await sessions.of(1), [])
  })

  test('a session is read once: further requests are answered at once', async () => {
    const session = await start()
    assert.ok(sessions.resume(session.secret) instanceof Promise)
    await stateOf(session)
    assert.equal(sessions.resume(session.secret) instanceof Promise, false)
  })
})

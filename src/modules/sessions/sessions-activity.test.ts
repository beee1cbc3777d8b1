// A database makes a difference: processes share the sessions, and write their activity later.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import type { TestApp } from '../../../test/app.ts'
import { fixedClock } from '../../../test/clock.ts'
import { deafFeed, refuseChanges } from '../../../test/database.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { sessionsOn, startsOn } from '../../../test/stored-sessions.ts'
import { storeAccounts } from '../../../test/stores.ts'
import { digest } from '../../core/crypto/digest.ts'
import { transact } from '../../core/database/transactions.ts'

const minute = 60
/** No other process changes anything; the lease of a real feed ends when a busy machine stalls. */
const steadyFeed = { ...deafFeed, isCurrent: () => true, anyVersion: () => 1 }

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

  const idOf = ({ secret }: { secret: string }) => digest(secret)
  const storedOf = async (session: { secret: string }) =>
    (await sessions.stored(idOf(session))) ?? assert.fail('the session has no row')

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
    assert.equal('ended' in (await sessions.resumeStored(await storedOf(used))), false)
    await allow()
    assert.equal(await sessions.flush(), 2)
    assert.equal(await isLive(), true)
  })

  test('a row that was read before the activity of another process is read anew', async () => {
    const session = await start()
    const stored = await storedOf(session)
    clock.advance(20 * minute)
    await stateOf(session, elsewhere)
    await elsewhere.flush()
    clock.advance(30 * minute - 0.001)
    const answer = await sessions.resumeStored(stored)
    assert.ok('stored' in answer)
    assert.equal(answer.expiresAt, clock.now() + 1_800_000)
    clock.advance(30 * minute)
    const { ended } = (await sessions.resumeStored(stored)) as { ended?: { code: string } }
    assert.equal(ended?.code, 'session_idle')
  })

  test('activity during a flush is written by the next; without activity none is written', async () => {
    const { sessions: own } = sessionsOn({ ...connected, feed: steadyFeed }, clock)
    const session = await start()
    await stateOf(session, own)
    const flushing = own.flush()
    clock.advance(1)
    assert.equal(own.resume(session.secret) instanceof Promise, false)
    assert.equal(await flushing, 1)
    assert.equal(await own.flush(), 1)
    assert.equal((await storedOf(session)).lastSeenAt, clock.now())
    const none = sessionsOn({ ...connected, db: undefined as never }, clock)
    assert.equal(await none.sessions.flush(), 0)
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
    const { sessions: own } = sessionsOn({ ...connected, feed: steadyFeed }, clock)
    const session = await start()
    assert.ok(own.resume(session.secret) instanceof Promise)
    await stateOf(session, own)
    assert.equal(own.resume(session.secret) instanceof Promise, false)
  })
})

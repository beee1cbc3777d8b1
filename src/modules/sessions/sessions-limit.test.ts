// A database makes a difference: the limit deletes rows.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { addCopies, sessionsOn, startsOn } from '../../../test/stored-sessions.ts'
import { storeAccounts } from '../../../test/stores.ts'

const minute = 60

suite('the limit of sessions of an account', async () => {
  const connected = await ownDatabase()
  const { db } = connected
  const clock = fixedClock()
  await storeAccounts(db, [{}, {}])
  const limitedTo = (max: string) =>
    sessionsOn(connected, clock, { SESSIONS_PER_ACCOUNT: max, SESSION_ABSOLUTE_SECONDS: '0' })
  const { sessions: few, events } = limitedTo('2')
  const { start, stateOf } = startsOn(db, clock, few)

  beforeEach(async () => {
    await few.flush()
    await db.deleteFrom('sessions').execute()
    events.length = 0
  })

  const left = async () => (await db.selectFrom('sessions').select('id').execute()).length
  const ofLimit = () => events.filter(({ name }) => name === 'session_ended')
  const ended = (count: number) => ({
    name: 'session_ended',
    payload: { user_id: 1, reason: 'limit', count },
  })

  test('one more ends the session that was idle longest', async () => {
    const one = await start()
    clock.advance(1)
    const two = await start({ stored: 1 })
    const foreign = await start({ userId: 2 })
    clock.advance(1)
    await few.resume(one.secret) // later than the second, in memory only
    const three = await start({ stored: 2 })
    assert.deepEqual(ofLimit(), [ended(1)])
    assert.equal(await stateOf(two), 'session_unknown')
    for (const session of [one, three, foreign]) {
      assert.equal(typeof (await stateOf(session)), 'number')
    }
  })

  test('a limit of one leaves the session of the last login', async () => {
    const { sessions: single } = limitedTo('1')
    const old = await start({ on: single })
    await start({ on: single, stored: 1 })
    assert.deepEqual([await stateOf(old), await left()], ['session_unknown', 1])
  })

  test('sessions that have ended by time are no excess', async () => {
    for (const stored of [0, 1]) await start({ stored })
    clock.advance(30 * minute - 0.001)
    await start({ stored: 2 })
    assert.deepEqual(ofLimit(), [ended(1)])
    clock.advance(0.001)
    await start({ stored: 2 })
    assert.deepEqual(ofLimit(), [ended(1)], 'the other of the first two has just ended')
    assert.equal(await left(), 3)
  })

  for (const isWrittenLater of [false, true]) {
    const about = isWrittenLater ? 'the row of the older is the later one' : 'as stored'
    test(`of sessions that were active at the same time, the older ends: ${about}`, async () => {
      const old = await start()
      clock.advance(1)
      const young = await start({ stored: 1 })
      clock.advance(1)
      await few.resume(old.secret)
      if (isWrittenLater) await few.flush()
      clock.advance(1)
      for (const { secret } of [old, young]) await few.resume(secret)
      await start({ stored: 2 })
      assert.equal(await stateOf(old), 'session_unknown')
      assert.equal(typeof (await stateOf(young)), 'number')
    })
  }

  test('after the limit was lowered, each login ends a batch, and the last all', async () => {
    await addCopies(db, await start(), 1000)
    clock.advance(1)
    await start({ stored: 1001 })
    assert.equal(await left(), 501)
    await start({ stored: 501 })
    assert.equal(await left(), 2)
    assert.deepEqual(ofLimit(), [ended(501), ended(500)])
  })

  test('without a limit, and up to it, no session ends', async () => {
    for (const max of ['0', '2']) {
      const { sessions: some } = limitedTo(max)
      const before = await left()
      await start({ on: some })
      await start({ on: some, stored: max === '0' ? 500 : 1 })
      assert.equal(await left(), before + 2)
      await db.deleteFrom('sessions').execute()
    }
  })
})

// A database makes a difference: sessions are rows.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { addCopies, sessionsOn, startsOn } from '../../../test/stored-sessions.ts'
import { storeAccounts } from '../../../test/stores.ts'
import { digest } from '../../core/crypto/digest.ts'
import type { Guard } from '../../core/database/transactions.ts'
import { sessionStore } from './store.ts'

const minute = 60

suite('the sessions of an owner', async () => {
  const connected = await ownDatabase()
  const { db } = connected
  const clock = fixedClock()
  await storeAccounts(db, [{}, {}])
  const { sessions, events } = sessionsOn(connected, clock)
  const { start, stateOf } = startsOn(db, clock, sessions)

  beforeEach(async () => {
    await db.deleteFrom('sessions').execute()
    events.length = 0
  })

  test('an owner sees the live sessions, newest first, and ends one by its handle', async () => {
    const old = await start()
    clock.advance(10 * minute)
    const kept = await start({ keeps: 'asked' })
    clock.advance(21 * minute)
    await start({ userId: 2 })
    const latest = await start()
    const listed = await sessions.of(1)
    assert.deepEqual(
      listed.map(({ id, isKept, lastSeenAt }) => [id, isKept, (clock.now() - lastSeenAt) / 1000]),
      [
        [digest(latest.secret), false, 0],
        [digest(kept.secret), true, 21 * minute],
      ],
    )
    assert.equal(await stateOf(old), 'session_idle')
    const handles = listed.map(({ handle }) => handle)
    assert.equal(new Set([...handles, ...listed.map(({ id }) => id)]).size, 4)
    events.length = 0
    assert.equal(await sessions.endOne(2, handles[0] ?? ''), null)
    assert.equal(await sessions.endOne(1, listed[0]?.id ?? ''), null)
    assert.deepEqual(await sessions.endOne(1, handles[0] ?? ''), listed[0])
    assert.equal(
      (await sessions.endOne(1, handles[1] ?? '', undefined, 'operator'))?.id,
      listed[1]?.id,
    )
    const reasons = events.map(({ payload }) => (payload as { reason: string }).reason)
    assert.deepEqual(reasons, ['owner', 'operator'])
    assert.deepEqual(await sessions.of(1), [])
  })

  test('a session that ends before the owner is authorized to end it is not found', async () => {
    const session = await start()
    const [{ id, handle } = assert.fail()] = await sessions.of(1)
    const guard: Guard = {
      lockNames: () => [],
      authorize: async (trx) => sessionStore(trx).removeAll([id]),
    }
    events.length = 0
    assert.equal(await sessions.endOne(1, handle, guard), null)
    assert.deepEqual(events, [])
    const refuse = { ...guard, authorize: () => Promise.reject(new Error('no longer allowed')) }
    const other = await start()
    const [{ handle: second } = assert.fail()] = await sessions.of(1)
    await assert.rejects(sessions.endOne(1, second, refuse), /no longer allowed/)
    assert.deepEqual(
      [await stateOf(session), await stateOf(other)],
      ['session_unknown', 30 * minute],
    )
  })

  test('an owner sees at most 1000 sessions', async () => {
    await addCopies(db, await start(), 1000)
    assert.equal((await sessions.of(1)).length, 1000)
  })
})

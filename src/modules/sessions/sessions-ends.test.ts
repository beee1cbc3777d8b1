// A database makes a difference: sessions end with rows of other tables, and are counted there.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { sessionsOn, startsOn } from '../../../test/stored-sessions.ts'
import { storeAccounts } from '../../../test/stores.ts'
import { digest } from '../../core/crypto/digest.ts'
import { transact } from '../../core/database/transactions.ts'
import { addFactor, authTimeOf } from './sessions.ts'

const minute = 60

suite('the account and the age of a session', async () => {
  const connected = await ownDatabase()
  const { db } = connected
  const clock = fixedClock()
  await storeAccounts(db, [{}, {}, { roles: ['ADMIN'] }])
  const { sessions, events } = sessionsOn(connected, clock, { REQUIRE_SECOND_FACTOR: 'ADMIN' })
  const { start, stateOf } = startsOn(db, clock, sessions)

  beforeEach(async () => {
    await sessions.flush()
    await db.deleteFrom('sessions').execute()
    events.length = 0
  })

  const left = async () => (await db.selectFrom('sessions').select('id').execute()).length
  const idOf = ({ secret }: { secret: string }) => digest(secret)
  const setAccount = (userId: number, values: { locked?: number; second_factor?: number }) =>
    db.updateTable('accounts').set(values).where('user_id', '=', userId).execute()

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
    await sessions.flush()
    await needs(user)
    assert.equal(await sessions.flush(), 0, 'a refused request is no activity')
    assert.equal(await sessions.judge(idOf(user)), null)
    await setAccount(1, { locked: 0, second_factor: 1 })
    assert.equal(await needs(user), false, 'no role requires the factor: of a remembered device')
    await setAccount(1, { second_factor: 0 })
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

  test('a session of a limited age is counted and kept in its row until that age', async () => {
    const { sessions: aged } = sessionsOn(connected, clock, { SESSION_ABSOLUTE_SECONDS: '100' })
    const session = await start({ on: aged })
    clock.advance(99.999)
    assert.deepEqual([await aged.count(), await aged.purge(9)], [1, 0])
    clock.advance(0.001)
    assert.deepEqual([await aged.count(), await aged.purge(9)], [0, 1])
    assert.equal(await stateOf(session, aged), 'session_unknown')
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
})

// A database makes a difference: sessions are rows, and processes share them.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { type Start, sessionsOn, startsOn } from '../../../test/stored-sessions.ts'
import { storeAccounts } from '../../../test/stores.ts'
import { digest } from '../../core/crypto/digest.ts'
import { transact } from '../../core/database/transactions.ts'
import { endSessionsOf } from './sessions.ts'

const [minute, hour, day] = [60, 3600, 86_400]

suite('sessions', async () => {
  const connected = await ownDatabase()
  const { db } = connected
  const clock = fixedClock()
  await storeAccounts(db, [{}, {}, { roles: ['ADMIN'] }])
  const strict = { REQUIRE_SECOND_FACTOR: 'ADMIN' }
  const { sessions, events, ended } = sessionsOn(connected, clock, strict)
  const { start, stateOf } = startsOn(db, clock, sessions)

  beforeEach(async () => {
    await db.deleteFrom('sessions').execute()
    await db.deleteFrom('session_ends').execute()
    events.length = 0
    ended.length = 0
  })

  test('a session has a secret of its own, and the database its digest', async () => {
    const [one, two] = [await start(), await start()]
    assert.match(one.secret, /^[A-Za-z0-9_-]{43}$/)
    assert.match(one.csrfToken, /^[A-Za-z0-9_-]{43}$/)
    assert.equal(new Set([one.secret, one.csrfToken, two.secret, two.csrfToken]).size, 4)
    assert.equal(one.isKept, false)
    const stored = await sessions.stored(digest(one.secret))
    assert.deepEqual(
      [stored?.csrfToken, stored?.amr, stored?.authTime],
      [one.csrfToken, ['pwd'], clock.now()],
    )
    assert.equal(await sessions.stored(one.secret), null)
    const [own] = await sessions.of(1)
    assert.equal(own?.userAgent.length, 256)
    assert.deepEqual(events, Array(2).fill({ name: 'session_created', payload: { user_id: 1 } }))
  })

  test('a session ends 30 minutes after its last request, or 12 hours after its login', async () => {
    const session = await start()
    assert.equal(await stateOf(session), 30 * minute)
    clock.advance(30 * minute - 0.001)
    assert.equal(await stateOf(session), 30 * minute)
    clock.advance(30 * minute)
    assert.deepEqual(await sessions.resume(session.secret), {
      ended: {
        code: 'session_idle',
        facts: { user_id: 1, last_seen_at: clock.now() - 1_800_000, ended_at: clock.now() },
      },
    })
    const used = await start()
    const createdAt = clock.now()
    for (let passed = 0; passed < 12 * hour - 20 * minute; passed += 20 * minute) {
      clock.advance(20 * minute)
      await stateOf(used)
    }
    assert.equal(await stateOf(used), 20 * minute)
    clock.advance(20 * minute)
    const facts = { user_id: 1, created_at: createdAt, ended_at: clock.now() }
    assert.deepEqual(await sessions.resume(used.secret), {
      ended: { code: 'session_too_old', facts },
    })
  })

  test('a kept session ends 30 days after its login, used or not', async () => {
    const kept = await start({ keeps: 'asked' })
    assert.equal(kept.isKept, true)
    assert.equal(await stateOf(kept), 30 * day)
    clock.advance(30 * day - 0.001)
    assert.equal(await stateOf(kept), 0.001)
    clock.advance(0.001)
    assert.equal(await stateOf(kept), 'session_too_old')
    const unused = await start({ keeps: 'asked' })
    clock.advance(30 * day)
    assert.equal(await stateOf(unused), 'session_too_old')
    const { sessions: long } = sessionsOn(connected, clock, { KEEP_SIGNED_IN_DAYS: '1000001' })
    const longest = await start({ keeps: 'asked', on: long })
    assert.equal(await stateOf(longest, long), 1_000_000 * day)
  })

  test('a session that ends by age and idle at once was too old', async () => {
    const session = await start()
    for (let passed = 0; passed < 11.5 * hour; passed += 23 * minute) {
      clock.advance(23 * minute)
      await stateOf(session)
    }
    clock.advance(30 * minute)
    assert.equal(await stateOf(session), 'session_too_old')
  })

  test('a login keeps the session if it asks so, or replaces a kept one of the account', async () => {
    const isKept = async (options: Start) => (await start(options)).isKept
    const kept = async () => (await start({ keeps: 'asked' })).secret
    assert.equal(await isKept({ keeps: 'as before', replaces: await kept() }), true)
    assert.equal(await isKept({ keeps: 'as before', replaces: (await start()).secret }), false)
    assert.equal(await isKept({ keeps: 'as before', replaces: await kept(), userId: 2 }), false)
    assert.equal(await isKept({ keeps: 'as before' }), false)
    assert.equal(await isKept({ replaces: await kept() }), false)
    assert.equal(await isKept({ keeps: 'asked', userId: 3, amr: ['pwd', 'mfa'] }), false)
    const { sessions: never } = sessionsOn(connected, clock, { KEEP_SIGNED_IN_DAYS: '0' })
    assert.equal((await start({ keeps: 'asked', on: never })).isKept, false)
  })

  test('a kept session has the usual limits once the setting keeps none', async () => {
    const { sessions: never } = sessionsOn(connected, clock, { KEEP_SIGNED_IN_DAYS: '0' })
    const former = await start({ userId: 2, keeps: 'asked' })
    assert.deepEqual([(await never.of(2)).length, await never.count()], [1, 1])
    assert.equal(await stateOf(former, never), 30 * minute)
    clock.advance(30 * minute)
    assert.deepEqual(await never.of(2), [])
    assert.equal(await stateOf(former, never), 'session_idle')
    assert.equal((await sessions.of(2)).length, 1)
  })

  test('a login ends the session whose cookie it brings, and no other', async () => {
    const [first, other] = [await start(), await start()]
    events.length = 0
    await start({ replaces: first.secret })
    const replaced = { name: 'session_ended', payload: { user_id: 1, reason: 'replaced' } }
    assert.deepEqual(events, [replaced, { name: 'session_created', payload: { user_id: 1 } }])
    assert.equal(await stateOf(first), 'session_unknown')
    assert.equal(await stateOf(other), 30 * minute)
  })

  test('a secret that can be none is not looked for, and others are unknown', async () => {
    const session = await start()
    const none = { ...connected, db: undefined as never }
    const { sessions: withoutDatabase } = sessionsOn(none, clock)
    for (const secret of [
      '',
      session.secret.slice(1),
      `${session.secret}A`,
      `${session.secret.slice(1)}=`,
    ]) {
      assert.equal(await stateOf({ secret }), 'session_malformed')
      assert.equal(await stateOf({ secret }, withoutDatabase), 'session_malformed')
      assert.equal(await withoutDatabase.end(secret), null)
    }
    assert.equal(await stateOf({ secret: 'A'.repeat(43) }), 'session_unknown')
    assert.equal(await sessions.end('A'.repeat(43)), null)
    assert.equal(await stateOf(session), 30 * minute)
  })

  test('a logout ends the session once', async () => {
    const session = await start()
    events.length = 0
    assert.equal(await sessions.end(session.secret), 1)
    assert.equal(await sessions.end(session.secret), null)
    assert.deepEqual(events, [{ name: 'session_ended', payload: { user_id: 1, reason: 'logout' } }])
    assert.equal(await stateOf(session), 'session_unknown')
  })

  test('all logins of an account end at once, with one event', async () => {
    const options = { keepSession: 'a' }
    assert.equal(await sessions.endAll(1, 'everywhere', options), true)
    assert.equal(await sessions.endAll(9, 'administrator', options), false)
    assert.deepEqual(ended, [
      [1, options],
      [9, options],
    ])
    assert.deepEqual(events[0], {
      name: 'session_ended',
      payload: { user_id: 1, reason: 'everywhere' },
    })
  })

  test('a session that ended with the logins of its account says so', async () => {
    const [one, two, three] = [await start(), await start(), await start({ userId: 2 })]
    const end = { userId: 1, exceptId: digest(two.secret), now: clock.now() }
    await transact(db, [], (trx) => endSessionsOf(trx, end))
    const facts = { user_id: 1, ended_at: clock.now() }
    const answer = { ended: { code: 'session_ended_with_logins', facts } }
    assert.deepEqual(await sessions.resume(one.secret), answer)
    for (const session of [two, three]) assert.equal(await stateOf(session), 30 * minute)
    await transact(db, [], (trx) =>
      endSessionsOf(trx, { userId: 2, exceptId: undefined, now: null }),
    )
    assert.equal(await stateOf(three), 'session_unknown')
  })
})

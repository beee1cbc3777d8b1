// A database makes a difference: the store is its statements.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { fixedClock } from '../../../test/clock.ts'
import { ownDatabase } from '../../../test/own-database.ts'
import { storeAccounts } from '../../../test/stores.ts'
import { transact } from '../../core/database/transactions.ts'
import { createEndReader, purgeSessionEnds, sessionEnds } from './ends.ts'
import { type NewSession, purgeSessions, sessionStore } from './store.ts'

suite('the statements of the sessions', async () => {
  const { db } = await ownDatabase()
  const store = sessionStore(db)
  await storeAccounts(db, [{ roles: ['USER', 'ADMIN'], secondFactor: true }, {}])

  beforeEach(async () => {
    await db.deleteFrom('sessions').execute()
    await db.deleteFrom('session_ends').execute()
  })

  async function insert(id: string, more: Partial<NewSession> = {}, seenAt = 0): Promise<void> {
    await store.insert({
      ...{ id, userId: 1, csrfToken: `csrf ${id}`, amr: [], authTime: null },
      ...{ createdAt: 1, isKept: false, address: '192.0.2.1', userAgent: 'curl', ...more },
    })
    if (seenAt > 0) await store.touch(id, seenAt)
  }

  async function left(): Promise<string> {
    const rows = await db.selectFrom('sessions').select('id').orderBy('id').execute()
    return rows.map(({ id }) => id).join(' ')
  }

  test('a session is read with its account, also in a transaction', async () => {
    await insert('a', { amr: ['pwd', 'otp'], authTime: 7, createdAt: 9, isKept: true })
    await insert('b', { userId: 2 })
    const { roles, ...account } = (await store.byId('a'))?.account ?? assert.fail()
    assert.deepEqual(roles.toSorted(), ['ADMIN', 'USER'])
    const state = { locked: false, active: true, lockedUntil: null, mustChange: false }
    assert.deepEqual(account, { ...state, secondFactor: true })
    const read = await transact(db, [], (trx) => sessionStore(trx).byId('a'))
    assert.deepEqual(read, {
      ...{ id: 'a', userId: 1, csrfToken: 'csrf a', amr: ['pwd', 'otp'], authTime: 7 },
      ...{ createdAt: 9, lastSeenAt: 9, isKept: true, username: 'user1', email: null },
      account: { ...account, roles: read?.account.roles },
    })
    const other = await store.byId('b')
    assert.deepEqual([other?.amr, other?.authTime, other?.isKept], [[], null, false])
    assert.equal(other?.account.secondFactor, false)
    assert.equal(await store.byId('c'), null)
  })

  test('the flags of the account come from its rows', async () => {
    await insert('a', { userId: 2 })
    await db
      .updateTable('accounts')
      .set({ locked: 1, active: 0, locked_until: 5 })
      .where('user_id', '=', 2)
      .execute()
    const account = (await store.byId('a'))?.account
    assert.deepEqual([account?.locked, account?.active, account?.lockedUntil], [true, false, 5])
    await db
      .updateTable('accounts')
      .set({ locked: 0, active: 1, locked_until: null })
      .where('user_id', '=', 2)
      .execute()
  })

  test('activity is stored unless a later one is', async () => {
    await insert('a', { createdAt: 5 })
    await insert('b', { createdAt: 5 })
    const seenAt = async () => [
      (await store.byId('a'))?.lastSeenAt,
      (await store.byId('b'))?.lastSeenAt,
    ]
    await store.touch('a', 7)
    assert.deepEqual(await seenAt(), [7, 5])
    await store.touch('a', 6)
    assert.deepEqual(await seenAt(), [7, 5])
  })

  test('further factors are added once each', async () => {
    await insert('a', { amr: ['pwd'] })
    await insert('b')
    await store.addAmr('a', ['otp', 'pwd', 'mfa'])
    await store.addAmr('b', ['otp'])
    await store.addAmr('c', ['otp'])
    assert.deepEqual((await store.byId('a'))?.amr, ['pwd', 'otp', 'mfa'])
    assert.deepEqual((await store.byId('b'))?.amr, ['otp'])
  })

  test('a removed session is answered, and no other goes', async () => {
    await insert('a', { isKept: true })
    await insert('b', { userId: 2 })
    await insert('c')
    assert.deepEqual(await store.remove('a'), { userId: 1, isKept: true })
    assert.equal(await store.remove('a'), null)
    assert.equal(await left(), 'b c')
    assert.deepEqual(await store.remove('b'), { userId: 2, isKept: false })
    await insert('d')
    await store.removeAll([])
    assert.equal(await left(), 'c d')
    await store.removeAll(['d', 'x'])
    assert.equal(await left(), 'c')
  })

  test('all of an account are removed but one, and their ends are noted', async () => {
    for (const id of ['a', 'b', 'c']) await insert(id)
    await insert('d', { userId: 2 })
    await sessionEnds(db).note(1, 'b', 77)
    const ends = async () =>
      (await db.selectFrom('session_ends').selectAll().orderBy('id').execute()).map(
        ({ id, user_id, ended_at }) => `${id} ${user_id} ${ended_at}`,
      )
    assert.deepEqual(await ends(), ['a 1 77', 'c 1 77'])
    await store.removeOf(1, 'b')
    assert.equal(await left(), 'b d')
    await sessionEnds(db).note(2, undefined, 78)
    assert.deepEqual(await ends(), ['a 1 77', 'c 1 77', 'd 2 78'])
    await store.removeOf(1)
    assert.equal(await left(), 'd')
  })

  test('the sessions of an account are listed newest first: kept, or active after a time', async () => {
    await insert('old', { createdAt: 1 }, 10)
    await insert('kept', { createdAt: 2, isKept: true, amr: ['pwd'], authTime: 3 })
    await insert('later', { createdAt: 3 }, 11)
    for (const id of ['a', 'c', 'b']) await insert(id, { createdAt: 4 }, 11)
    await insert('other', { userId: 2 }, 11)
    const of = async (seenAfter: number, limit: number) =>
      (await store.of(1, seenAfter, limit)).map(({ id }) => id)
    assert.deepEqual(await of(10, 9), ['a', 'b', 'c', 'later', 'kept'])
    assert.deepEqual(await of(9, 9), ['a', 'b', 'c', 'later', 'kept', 'old'])
    assert.deepEqual(await of(9, 2), ['a', 'b'])
    assert.deepEqual((await store.of(1, 11, 9))[0], {
      ...{ id: 'kept', userId: 1, csrfToken: 'csrf kept', amr: ['pwd'], authTime: 3, createdAt: 2 },
      ...{ lastSeenAt: 2, isKept: true, address: '192.0.2.1', userAgent: 'curl' },
    })
    assert.deepEqual(await store.idleLongest(1, 2), [
      { id: 'kept', createdAt: 2, lastSeenAt: 2, isKept: true },
      { id: 'old', createdAt: 1, lastSeenAt: 10, isKept: false },
    ])
    assert.equal((await store.idleLongest(1, 9)).length, 6)
  })

  suite('a session has ended', () => {
    const ends = { seenBefore: 20, createdBefore: 10, keptBefore: 5 }

    beforeEach(async () => {
      await insert('live', { createdAt: 11 }, 21)
      await insert('idle', { createdAt: 11 }, 20)
      await insert('aged', { createdAt: 10 }, 21)
      await insert('kept', { createdAt: 6, isKept: true })
      await insert('keptAged', { createdAt: 5, isKept: true }, 30)
    })

    test('if it was last active, or created, at or before a time', async () => {
      assert.equal(await store.count(ends), 2)
      const purged = await purgeSessions(db, ends, 9)
      assert.equal(await left(), 'kept live')
      assert.deepEqual(
        purged.toSorted((a, b) => a.createdAt - b.createdAt),
        [
          { userId: 1, createdAt: 5, lastSeenAt: 30, isKept: true },
          { userId: 1, createdAt: 10, lastSeenAt: 21, isKept: false },
          { userId: 1, createdAt: 11, lastSeenAt: 20, isKept: false },
        ],
      )
    })

    test('by the usual times if none is kept', async () => {
      const none = { ...ends, keptBefore: null }
      assert.equal(await store.count(none), 1)
      assert.equal((await purgeSessions(db, none, 9)).length, 4)
      assert.equal(await left(), 'live')
    })

    test('and is purged a batch at a time', async () => {
      assert.equal((await purgeSessions(db, ends, 2)).length, 2)
      assert.equal(await left(), 'kept keptAged live')
      assert.equal((await purgeSessions(db, ends, 2)).length, 1)
      assert.equal((await purgeSessions(db, ends, 2)).length, 0)
    })
  })

  test('an end is explained, at most 100 times in a second', async () => {
    const clock = fixedClock()
    await insert('a')
    await sessionEnds(db).note(1, undefined, 77)
    const read = createEndReader({ db, clock })
    const end = { user_id: 1, ended_at: 77 }
    assert.equal(await read('b'), undefined)
    for (let times = 1; times < 100; times += 1) assert.deepEqual(await read('a'), end)
    assert.equal(await read('a'), undefined)
    clock.advance(0.999)
    assert.equal(await read('a'), undefined)
    clock.advance(0.001)
    assert.deepEqual(await read('a'), end)
  })

  test('ends are kept for a day', async () => {
    const clock = fixedClock()
    const day = 86_400_000
    for (const [id, endedAt] of [
      ['a', 0],
      ['b', 1],
      ['c', 2],
    ] as const) {
      await db
        .insertInto('session_ends')
        .values({ id, user_id: 1, ended_at: clock.now() + endedAt })
        .execute()
    }
    clock.advance(day / 1000)
    assert.equal(await purgeSessionEnds({ db, clock }, 9), 1)
    clock.advance(1)
    assert.equal(await purgeSessionEnds({ db, clock }, 1), 1)
    assert.equal(await purgeSessionEnds({ db, clock }, 9), 1)
  })
})

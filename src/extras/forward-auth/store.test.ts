// A database makes a difference: tickets and sessions of hosts are limited by statements.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import { ownDatabase } from '../../../test/own-database.ts'
import { usersOfIds } from '../../../test/users-of-ids.ts'
import { forwardStore } from './store.ts'

suite('the tables of forward authentication', async () => {
  const { db } = await ownDatabase()
  const store = forwardStore(db)
  const now = 1_700_000_000_000

  function onEmptyTables(name: string, tests: () => void): void {
    suite(name, () => {
      beforeEach(async () => {
        await db.deleteFrom('users').execute()
        await usersOfIds(db, 1, 1)
        await db
          .insertInto('accounts')
          .values({ user_id: 1, username: 'ann', active: 1, locked: 0, created_at: now })
          .execute()
        for (const id of ['one', 'two']) {
          const times = { created_at: now, last_seen_at: now }
          await db
            .insertInto('sessions')
            .values({ id, user_id: 1, csrf_token: 'c', address: 'x', user_agent: 'y', ...times })
            .execute()
        }
      })
      tests()
    })
  }

  const ticket = (expiresAt: number, sessionId = 'one') => ({
    ...{ sessionId, origin: 'https://app.example.org', browser: 'b', returnTo: '/r', expiresAt },
  })

  onEmptyTables('a ticket', () => {
    const tickets = async () =>
      (await db.selectFrom('forward_tickets').select('id').orderBy('id').execute()).map(
        ({ id }) => id,
      )

    test('is taken once, as it was stored', async () => {
      await store.addTicket('t', ticket(now), 5)
      assert.deepEqual(
        [await store.sessionOfTicket('t'), await store.sessionOfTicket('u')],
        ['one', null],
      )
      assert.equal(await store.takeTicket('u'), null)
      assert.deepEqual(await store.takeTicket('t'), ticket(now))
      assert.equal(await store.takeTicket('t'), null)
      assert.deepEqual(await tickets(), [])
    })

    test('displaces the oldest of its session beyond the limit, and none of another', async () => {
      await store.addTicket('other', ticket(now - 9, 'two'), 2)
      await store.addTicket('b', ticket(now + 1), 2)
      await store.addTicket('a', ticket(now + 2), 2)
      assert.deepEqual(await tickets(), ['a', 'b', 'other'])
      await store.addTicket('c', ticket(now - 5), 2)
      assert.deepEqual(await tickets(), ['a', 'c', 'other'])
      await store.addTicket('d', ticket(now), 1)
      assert.deepEqual(await tickets(), ['d', 'other'])
    })
  })

  onEmptyTables('a session at a host', () => {
    const at = (host: string, createdAt: number, sessionId = 'one') => ({
      ...{ sessionId, origin: `https://${host}.example.org`, createdAt },
    })
    const hosts = async () =>
      (await db.selectFrom('forward_sessions').select('id').orderBy('id').execute()).map(
        ({ id }) => id,
      )

    test('replaces the one before it at its host, of its session alone', async () => {
      await store.replace('a1', at('a', now), 5)
      await store.replace('b1', at('b', now), 5)
      await store.replace('a2', at('a', now, 'two'), 5)
      await store.replace('a3', at('a', now + 1), 5)
      assert.deepEqual(await hosts(), ['a2', 'a3', 'b1'])
    })

    test('displaces the oldest of its session beyond the limit', async () => {
      await store.replace('z', at('z', now - 9, 'two'), 2)
      for (const [index, host] of ['a', 'b', 'c'].entries())
        await store.replace(host, at(host, now + index), 2)
      assert.deepEqual(await hosts(), ['b', 'c', 'z'])
    })

    test('is found by its id, with its origin and its session', async () => {
      await store.replace('a1', at('a', now), 5)
      const { origin, session } = (await store.byId('a1')) ?? assert.fail()
      assert.deepEqual([origin, session.id, session.userId], ['https://a.example.org', 'one', 1])
      assert.equal(await store.byId('one'), null)
      await db.deleteFrom('sessions').where('id', '=', 'one').execute()
      assert.equal(await store.byId('a1'), null)
    })
  })
})

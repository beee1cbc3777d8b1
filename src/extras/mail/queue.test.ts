// A database makes a difference: claims, leases and delays are conditions of statements.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import type { Insertable } from 'kysely'
import { ownDatabase } from '../../../test/own-database.ts'
import { usersOfIds } from '../../../test/users-of-ids.ts'
import type { Schema } from '../../core/database/schema.ts'
import { dueOfNew, mailStore, never } from './queue.ts'

suite('the queue of mail', async () => {
  const { db } = await ownDatabase()
  const store = mailStore(db)
  const now = 1_700_000_000_000
  const lease = 240_000
  const day = 86_400_000

  type Mail = Insertable<Schema['mails']>

  async function add(id: string, more: Partial<Mail> = {}): Promise<void> {
    const mail: Mail = {
      ...{ id, message: 'sign-up', kind: 'request', state: 'waiting', user_id: null },
      ...{
        confirmation: null,
        sealed: 'text',
        address_index: 'a',
        client_index: null,
        priority: 5,
      },
      ...{ due_at: now, expires_at: now + day, ready_at: null, locked_until: null },
      ...{ lease_until: null, locked_by: null, response: null, created_at: now },
      ...{ finished_at: null, flow: null },
      ...more,
    }
    await db.insertInto('mails').values(mail).execute()
  }

  async function row(id: string) {
    return db.selectFrom('mails').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  }

  const claimed = async (at = now, more: object = {}) =>
    (await store.lease({ owner: 'worker', now: at, ...more }))?.id

  function onEmptyTables(name: string, tests: () => void): void {
    suite(name, () => {
      beforeEach(async () => {
        await db.deleteFrom('mails').execute()
      })
      tests()
    })
  }

  onEmptyTables('a claim of mail', () => {
    test('takes what is due, the most urgent and then the oldest first', async () => {
      await add('later', { priority: 1, due_at: now + 1 })
      await add('low', { priority: 9, due_at: now - 500 })
      await add('new', { due_at: now })
      await add('old', { due_at: now - 100 })
      assert.deepEqual(
        [await claimed(), await claimed(), await claimed(), await claimed()],
        ['old', 'new', 'low', undefined],
      )
      assert.equal(await claimed(now + 1), 'later')
    })

    test('leases the row to the owner, and counts the attempt', async () => {
      await add('one', { attempts: 2 })
      const found = await store.lease({ owner: 'worker', now })
      const { state, locked_by, locked_until, lease_until, attempts, due_at } = await row('one')
      assert.deepEqual(
        [state, locked_by, locked_until, lease_until, attempts, due_at],
        ['sending', 'worker', now + lease, null, 3, now],
      )
      assert.deepEqual(found, await row('one'))
    })

    test('takes over a lease when it has ended, and not before', async () => {
      await add('one', { state: 'sending', locked_by: 'other', locked_until: now + 10 })
      assert.equal(await claimed(now + 9), undefined)
      assert.equal(await claimed(now + 10), 'one')
      assert.equal((await row('one')).locked_by, 'worker')
    })

    test('takes nothing that has ended', async () => {
      for (const state of ['sent', 'failed', 'expired', 'cancelled', 'dropped'] as const) {
        await add(state, { state, finished_at: now })
      }
      assert.equal(await claimed(), undefined)
    })

    test('leaves out messages that are held back, what is more urgent than asked, and other ids', async () => {
      await add('one', { message: 'reset', priority: 1 })
      await add('two', { message: 'sign-up', priority: 4 })
      await add('three', { message: 'test', priority: 5 })
      assert.equal(await claimed(now, { heldBack: ['reset', 'sign-up'], id: 'one' }), undefined)
      assert.equal(await claimed(now, { heldBack: ['reset', 'sign-up'] }), 'three')
      assert.equal(await claimed(now, { fromPriority: 5 }), undefined)
      assert.equal(await claimed(now, { fromPriority: 4 }), 'two')
      assert.equal(await claimed(now, { id: 'two' }), undefined)
      assert.equal(await claimed(now, { id: 'one' }), 'one')
    })

    test('of mail of a person uses its own columns: the old ones keep off older versions', async () => {
      assert.deepEqual(dueOfNew(now, true), { due_at: never, ready_at: now })
      assert.deepEqual(dueOfNew(now, false), { due_at: now, ready_at: null })
      await add('one', dueOfNew(now, true))
      assert.equal(await claimed(now - 1), undefined)
      const found = (await store.lease({ owner: 'worker', now })) ?? assert.fail()
      assert.deepEqual(
        [found.due_at, found.ready_at, found.locked_until, found.lease_until],
        [never, now, never, now + lease],
      )
      assert.equal(await store.retry(found, now + 5000), true)
      const { due_at, ready_at, locked_until, lease_until } = await row('one')
      assert.deepEqual(
        [due_at, ready_at, locked_until, lease_until],
        [never, now + 5000, null, null],
      )
      assert.equal(await claimed(now + 4999), undefined)
      assert.equal(await claimed(now + 5000), 'one')
    })
  })

  onEmptyTables('a lease of mail', () => {
    test('is extended by its owner', async () => {
      await add('one')
      const found = (await store.lease({ owner: 'worker', now })) ?? assert.fail()
      assert.equal(await store.renew(found, now + 1000, { response: 'so far' }), true)
      const { locked_until, response, state } = await row('one')
      assert.deepEqual([locked_until, response, state], [now + 1000 + lease, 'so far', 'sending'])
    })

    test('is released for a retry, and without a lease', async () => {
      await add('one')
      const found = (await store.lease({ owner: 'worker', now })) ?? assert.fail()
      assert.equal(await store.retry(found, now + 5000, { response: '421' }), true)
      const { due_at, locked_by, locked_until, ready_at, response, state } = await row('one')
      assert.deepEqual(
        [due_at, locked_by, locked_until, ready_at, response, state],
        [now + 5000, null, null, null, '421', 'waiting'],
      )
    })

    test('ends with the columns of the result', async () => {
      await add('one')
      await add('two', { priority: 9 })
      const found = (await store.lease({ owner: 'worker', now })) ?? assert.fail()
      assert.equal(await store.end(found, { state: 'sent', sealed: null, finished_at: now }), true)
      const { locked_by, locked_until, sealed, state } = await row('one')
      assert.deepEqual([locked_by, locked_until, sealed, state], [null, null, null, 'sent'])
      assert.equal((await row('two')).state, 'waiting')
      assert.equal(await store.end(found, { state: 'failed' }), false)
    })

    test('that another worker has taken over changes nothing', async () => {
      await add('one')
      await add('two', { priority: 9 })
      const lost = (await store.lease({ owner: 'worker', now })) ?? assert.fail()
      assert.equal((await store.lease({ owner: 'other', now: now + lease }))?.id, 'one')
      const before = [await row('one'), await row('two')]
      assert.equal(await store.renew(lost, now), false)
      assert.equal(await store.retry(lost, now), false)
      assert.equal(await store.end(lost, { state: 'failed' }), false)
      assert.deepEqual([await row('one'), await row('two')], before)
    })
  })

  onEmptyTables('mail that expires', () => {
    test('is emptied when its time has come; what has been sent stays sent', async () => {
      await add('due', { expires_at: now })
      await add('later', { expires_at: now + 1 })
      await add('failed', { expires_at: now - 1, state: 'failed', finished_at: now - 700 })
      await add('empty', { expires_at: now - 9, sealed: null, state: 'sent', finished_at: now - 9 })
      const expired = await store.expire(now, 10)
      assert.deepEqual(expired.map(({ id }) => id).toSorted(), ['due', 'failed'])
      const shown = async (id: string) => {
        const { finished_at, sealed, state } = await row(id)
        return [state, sealed, finished_at]
      }
      assert.deepEqual(await shown('due'), ['expired', null, now])
      assert.deepEqual(await shown('failed'), ['failed', null, now - 700])
      assert.deepEqual(await shown('later'), ['waiting', 'text', null])
      assert.deepEqual(await shown('empty'), ['sent', null, now - 9])
    })

    test('is left to the worker that sends it, until the lease ends', async () => {
      const sending = { state: 'sending', locked_by: 'other', expires_at: now } as const
      await add('held', { ...sending, locked_until: now + 1 })
      await add('left', { ...sending, locked_until: now })
      assert.deepEqual(
        (await store.expire(now, 10)).map(({ id }) => id),
        ['left'],
      )
      assert.deepEqual(
        [(await row('held')).state, (await row('left')).state],
        ['sending', 'expired'],
      )
      assert.deepEqual(
        [(await row('left')).locked_by, (await row('left')).locked_until],
        [null, null],
      )
    })

    test('is taken in batches, the longest expired first', async () => {
      for (const at of [3, 1, 2]) await add(`${at}`, { expires_at: now - 10 + at })
      assert.deepEqual((await store.expire(now, 2)).map(({ id }) => id).toSorted(), ['1', '2'])
      assert.deepEqual(
        (await store.expire(now, 2)).map(({ id }) => id),
        ['3'],
      )
    })
  })

  onEmptyTables('after a clock that was ahead', () => {
    test('a delay or a lease of more than a day ends now', async () => {
      await add('long', { due_at: now + day + 1 })
      await add('short', { due_at: now + day })
      await add('leased', { state: 'sending', locked_by: 'x', locked_until: now + day + 1 })
      await add('held', { state: 'sending', locked_by: 'x', locked_until: now + day })
      await add('done', { state: 'sent', due_at: now + 3 * day })
      const before = await Promise.all(['short', 'held', 'done'].map(row))
      assert.equal(await store.capDelays(now, 10), 2)
      assert.deepEqual(await Promise.all(['short', 'held', 'done'].map(row)), before)
      for (const id of ['long', 'leased']) {
        const { due_at, locked_by, locked_until, state } = await row(id)
        assert.deepEqual([state, due_at, locked_by, locked_until], ['waiting', now, null, null])
      }
    })

    test('so many rows are changed at once', async () => {
      for (const id of ['one', 'two', 'three']) await add(id, { due_at: now + 2 * day })
      assert.deepEqual([await store.capDelays(now, 2), await store.capDelays(now, 2)], [2, 1])
    })
  })

  onEmptyTables('figures of the queue', () => {
    test('requests that were sent in a time, by message: no notices, nothing else', async () => {
      const sent = (id: string, at: number, more: Partial<Mail> = {}) =>
        add(id, { state: 'sent', finished_at: at, ...more })
      await sent('before', now)
      await sent('first', now + 1)
      await sent('last', now + 60)
      await sent('after', now + 61)
      await sent('reset', now + 5, { message: 'reset' })
      await sent('notice', now + 5, { kind: 'notice' })
      await sent('failed', now + 5, { state: 'failed' })
      const counts = await store.sentBetween(now, now + 60)
      assert.deepEqual(
        counts,
        new Map([
          ['reset', 1],
          ['sign-up', 2],
        ]),
      )
    })

    test('the oldest mail that waits or is sent', async () => {
      assert.equal(await store.oldestWaiting(), null)
      await add('done', { state: 'sent', created_at: now - 9 })
      assert.equal(await store.oldestWaiting(), null)
      await add('new', { created_at: now - 2 })
      await add('sending', { state: 'sending', created_at: now - 5 })
      assert.equal(await store.oldestWaiting(), now - 5)
    })

    test('a notice that waits since a time or longer', async () => {
      await add('request', { due_at: now - 50 })
      await add('sending', { kind: 'notice', state: 'sending', due_at: now - 50 })
      assert.equal(await store.lateNotice(now), null)
      await add('notice', { kind: 'notice', ...dueOfNew(now - 5, true) })
      assert.equal(await store.lateNotice(now - 6), null)
      assert.equal(await store.lateNotice(now - 5), now - 5)
    })
  })

  onEmptyTables('an address that takes no mail', () => {
    async function account(id: number, key: string): Promise<void> {
      await usersOfIds(db, id, id)
      const verified = { verified_email: key, verified_email_key: key }
      await db
        .insertInto('accounts')
        .values({
          user_id: id,
          username: `u${id}`,
          active: 1,
          locked: 0,
          created_at: now,
          ...verified,
        })
        .execute()
    }

    test('is marked once, while it is the verified address of the account', async () => {
      await account(1, 'a@b.co')
      await account(2, 'c@b.co')
      const mark = { at: now, reason: '550' }
      const marked = () =>
        db
          .selectFrom('accounts')
          .select(['user_id', 'undeliverable_at', 'undeliverable_reason'])
          .orderBy('user_id')
          .execute()
      const none = [1, 2].map((user_id) => ({
        ...{ user_id, undeliverable_at: null, undeliverable_reason: null },
      }))
      assert.equal(await store.setUndeliverable(1, 'before@b.co', mark), false)
      assert.equal(await store.setUndeliverable(1, 'a@b.co', null), false)
      assert.deepEqual(await marked(), none)
      assert.equal(await store.setUndeliverable(1, 'a@b.co', mark), true)
      const one = { user_id: 1, undeliverable_at: now, undeliverable_reason: '550' }
      assert.deepEqual(await marked(), [one, none[1]])
      assert.equal(await store.setUndeliverable(1, 'a@b.co', { at: now + 9, reason: '551' }), false)
      assert.deepEqual(await marked(), [one, none[1]])
      assert.equal(await store.setUndeliverable(1, 'before@b.co', null), false)
      assert.deepEqual(await marked(), [one, none[1]])
      assert.equal(await store.setUndeliverable(1, 'a@b.co', null), true)
      assert.deepEqual(await marked(), none)
    })
  })
})

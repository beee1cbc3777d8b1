// A database makes a difference: leases, order and delays are conditions of statements.
import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import type { Insertable } from 'kysely'
import { ownDatabase } from '../../../test/own-database.ts'
import type { Schema } from '../../core/database/schema.ts'
import { webhookQueue } from './queue.ts'

suite('the queues of webhooks', async () => {
  const { db } = await ownDatabase()
  const queue = webhookQueue(db)
  const now = 1_700_000_000_000
  const lease = 30_000
  const hour = 3_600_000
  const day = 24 * hour

  type Endpoint = Insertable<Schema['webhook_endpoints']>
  type Delivery = Insertable<Schema['webhook_deliveries']>
  type Queue = Insertable<Schema['webhook_queues']>

  async function endpoint(id: string, more: Partial<Endpoint> = {}): Promise<void> {
    const given = {
      sealed: `sealed ${id}`,
      events: '["*"]',
      content: 'ids',
      state: 'enabled',
    } as const
    await db
      .insertInto('webhook_endpoints')
      .values({ id, ...given, created_at: now, updated_at: now, ...more })
      .execute()
  }

  async function waits(id: string, more: Partial<Queue> = {}): Promise<void> {
    const row = { endpoint: id, lane: 'quick', due_at: now, locked_by: null, ...more }
    await db.insertInto('webhook_queues').values(row).execute()
  }

  let ids = 0

  async function deliveriesOf(of: string, count: number, more: Partial<Delivery>): Promise<void> {
    const rows = Array.from({ length: count }, () => deliveryOf(of, more))
    await db.insertInto('webhook_deliveries').values(rows).execute()
  }

  async function delivery(of: string, more: Partial<Delivery> = {}): Promise<number> {
    await db.insertInto('webhook_deliveries').values(deliveryOf(of, more)).execute()
    return ids
  }

  function deliveryOf(of: string, more: Partial<Delivery>): Delivery {
    ids += 1
    return {
      ...{ id: ids, endpoint: of, message: `m${ids}`, type: 'user_created', order_key: null },
      ...{ target_id: null, chain: null, place: null, checkpoint: null, at: now, state: 'waiting' },
      ...{ due_at: now, status: null, detail: null, sealed: null, created_at: now },
      ...{ finished_at: null, ...more },
    }
  }

  const queues = () => db.selectFrom('webhook_queues').selectAll().orderBy('endpoint').execute()
  const queueOf = async (id: string) => (await queues()).find((row) => row.endpoint === id)
  const deliveries = () => db.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute()

  async function dues(): Promise<Record<number, number>> {
    return Object.fromEntries((await deliveries()).map(({ id, due_at }) => [id, due_at - now]))
  }

  function onEmptyTables(name: string, tests: () => void): void {
    suite(name, () => {
      beforeEach(async () => {
        ids = 0
        await db.deleteFrom('webhook_endpoints').execute()
      })
      tests()
    })
  }

  onEmptyTables('the lease of an endpoint', () => {
    test('is given to one worker, of the endpoint that is due for the longest time', async () => {
      await endpoint('a')
      await endpoint('b')
      await endpoint('c')
      await waits('a', { due_at: now })
      await waits('b', { due_at: now - 1 })
      await waits('c', { due_at: null })
      assert.equal((await queue.claim(now - 2, { locked_by: 'one' }))?.endpoint, undefined)
      const first = (await queue.claim(now, { locked_by: 'one' })) ?? assert.fail()
      assert.deepEqual([first.endpoint, first.locked_by, first.due_at], ['b', 'one', now + lease])
      assert.equal((await queue.claim(now, { locked_by: 'two' }))?.endpoint, 'a')
      assert.equal(await queue.claim(now, { locked_by: 'three' }), null)
      assert.equal(await queue.claim(now + lease - 1, { locked_by: 'three' }), null)
      assert.notEqual(await queue.claim(now + lease, { locked_by: 'three' }), null)
    })

    test('is extended, released or ended by its owner alone', async () => {
      await endpoint('a')
      await waits('a')
      const lost = (await queue.claim(now, { locked_by: 'one' })) ?? assert.fail()
      const held = (await queue.claim(now + lease, { locked_by: 'two' })) ?? assert.fail()
      const before = await queues()
      assert.equal(await queue.renew(lost, now), false)
      assert.equal(await queue.retry(lost, now), false)
      assert.equal(await queue.end(lost), false)
      assert.deepEqual(await queues(), before)
      assert.equal(await queue.renew(held, now + 2 * lease), true)
      assert.equal((await queueOf('a'))?.due_at, now + 3 * lease)
      assert.equal(await queue.retry(held, now + 7, { failures: 2 }), true)
      const { due_at, failures, locked_by } = (await queueOf('a')) ?? assert.fail()
      assert.deepEqual([due_at, failures, locked_by], [now + 7, 2, null])
      const again = (await queue.claim(now + 7, { locked_by: 'one' })) ?? assert.fail()
      assert.equal(await queue.end(again, { failures: 0 }), true)
      const ended = (await queueOf('a')) ?? assert.fail()
      assert.deepEqual([ended.due_at, ended.failures, ended.locked_by], [null, 0, null])
    })
  })

  onEmptyTables('a notification of an endpoint', () => {
    test('makes what is enabled due, and nothing else', async () => {
      await endpoint('a')
      await endpoint('b')
      await endpoint('off', { state: 'disabled' })
      await queue.notify([], now)
      assert.deepEqual(await queues(), [])
      await queue.notify(['a', 'off', 'unknown'], now)
      const [row, ...others] = await queues()
      assert.deepEqual([row?.endpoint, row?.due_at, others.length], ['a', now, 0])
    })

    for (const [name, row, expected] of [
      ['is later than what is due', { due_at: now - 5 }, now - 5],
      ['is earlier than what is due', { due_at: now + 5 }, now],
      ['of one for which nothing waits', { due_at: null }, now],
      ['does not end a lease', { due_at: now + 9, locked_by: 'one' }, now + 9],
      ['does not end a pause', { due_at: now + 50, paused_until: now + 50 }, now + 50],
      ['waits for the end of a pause', { due_at: null, paused_until: now + 50 }, now + 50],
      ['after the end of a pause', { due_at: null, paused_until: now - 50 }, now],
      [
        'goes before what is due after a pause',
        { due_at: now + 90, paused_until: now + 50 },
        now + 50,
      ],
      [
        'goes before what is due long after a pause',
        { due_at: now + 90, paused_until: now - 50 },
        now,
      ],
    ] as const) {
      test(name, async () => {
        await endpoint('a')
        await waits('a', row)
        await queue.notify(['a'], now)
        assert.equal((await queueOf('a'))?.due_at, expected)
      })
    }

    test('retryNow ends a pause, and forgets the failures; a lease stays', async () => {
      await endpoint('a')
      await endpoint('b')
      await endpoint('c')
      const failing = { failures: 3, paused_until: now + hour, due_at: now + hour }
      await waits('a', failing)
      await waits('b', { ...failing, locked_by: 'one' })
      await endpoint('d')
      await waits('d', failing)
      const others = async () => [await queueOf('b'), await queueOf('d')]
      const before = await others()
      for (const id of ['a', 'b', 'c']) await queue.retryNow(id, now)
      for (const id of ['a', 'c']) {
        const { due_at, failures, paused_until } = (await queueOf(id)) ?? assert.fail()
        assert.deepEqual([due_at, failures, paused_until], [now, 0, 0])
      }
      assert.deepEqual(await others(), before)
    })
  })

  onEmptyTables('an endpoint to send to', () => {
    test('is read with its health while it is enabled', async () => {
      await endpoint('a')
      await endpoint('b')
      await endpoint('off', { state: 'failed' })
      await queue.noteHealth({ endpoint: 'a', failing_since: 5, succeeded_at: null, status: 500 })
      await queue.noteHealth({ endpoint: 'a', failing_since: 7, succeeded_at: 3, status: 501 })
      const { failing_since, id, sealed, succeeded_at } =
        (await queue.endpoint('a')) ?? assert.fail()
      assert.deepEqual([id, sealed, failing_since, succeeded_at], ['a', 'sealed a', 7, 3])
      const other = (await queue.endpoint('b')) ?? assert.fail()
      assert.deepEqual([other.failing_since, other.succeeded_at], [null, null])
      assert.deepEqual([await queue.endpoint('off'), await queue.endpoint('unknown')], [null, null])
      const rows = await db.selectFrom('webhook_health').selectAll().execute()
      assert.deepEqual(rows, [{ endpoint: 'a', failing_since: 7, succeeded_at: 3, status: 501 }])
    })

    test('is as it was read until it is changed or disabled', async () => {
      await endpoint('a')
      await endpoint('b')
      const a = { id: 'a', sealed: 'sealed a' }
      assert.equal(await queue.isAsRead(a), true)
      assert.equal(await queue.isAsRead({ id: 'a', sealed: 'sealed b' }), false)
      assert.equal(await queue.isAsRead({ id: 'b', sealed: 'sealed a' }), false)
      await db
        .updateTable('webhook_endpoints')
        .set({ state: 'disabled' })
        .where('id', '=', 'a')
        .execute()
      assert.equal(await queue.isAsRead(a), false)
    })

    test('is disabled once, and only if it is as it was read', async () => {
      await endpoint('a')
      await endpoint('b', { sealed: 'sealed a' })
      assert.equal(await queue.disable({ id: 'a', sealed: 'other' }, now + 1), false)
      const rows = () =>
        db
          .selectFrom('webhook_endpoints')
          .select(['id', 'state', 'updated_at'])
          .orderBy('id')
          .execute()
      const b = { id: 'b', state: 'enabled', updated_at: now }
      assert.deepEqual(await rows(), [{ id: 'a', state: 'enabled', updated_at: now }, b])
      assert.equal(await queue.disable({ id: 'a', sealed: 'sealed a' }, now + 1), true)
      const disabled = { id: 'a', state: 'failed', updated_at: now + 1 }
      assert.deepEqual(await rows(), [disabled, b])
      assert.equal(await queue.disable({ id: 'a', sealed: 'sealed a' }, now + 2), false)
      assert.deepEqual(await rows(), [disabled, b])
    })
  })

  onEmptyTables('the next delivery of an endpoint', () => {
    test('is the mail that is due for the longest time, and then the oldest', async () => {
      await endpoint('a')
      await endpoint('b')
      await delivery('b', { due_at: now - 9 })
      await delivery('a', { due_at: now })
      const third = await delivery('a', { due_at: now - 1 })
      await delivery('a', { due_at: now - 1 })
      await delivery('a', { due_at: now - 5, state: 'delivered' })
      await delivery('a', { due_at: now + 1 })
      const next = (await queue.next('a', now)) ?? assert.fail()
      assert.equal(next.id, third)
      assert.equal(await queue.next('a', now - 2), null)
      assert.equal(await queue.nextDue('a'), now - 1)
      assert.equal(await queue.nextDue('unknown'), null)
      const shown = ['id', 'message', 'type', 'order_key', 'target_id', 'chain', 'place']
      assert.deepEqual(
        Object.keys(next).toSorted(),
        [...shown, 'checkpoint', 'at', 'attempts', 'created_at', 'due_at', 'behind'].toSorted(),
      )
    })

    test('waits for an older mail of its person, and not for mails of others', async () => {
      await endpoint('a')
      await endpoint('b')
      await delivery('b', { order_key: 'ann', due_at: now + 9 })
      await delivery('a', { order_key: 'ann', due_at: now + 500 })
      await delivery('a', { order_key: 'ann', due_at: now - 7 })
      await delivery('a', { order_key: 'ann', due_at: now - 6 })
      const bob = await delivery('a', { order_key: 'bob', due_at: now - 1 })
      assert.equal((await queue.next('a', now))?.id, bob)
      await queue.record(bob, done('delivered'))
      assert.equal(await queue.next('a', now), null)
      // What is blocked is due with the delivery that blocks it: no search comes across it before.
      assert.deepEqual(await dues(), { 1: 9, 2: 500, 3: 500, 4: 500, 5: 0 })
      await queue.record(2, done('failed'))
      await queue.free('a', 'ann', now + 1)
      assert.deepEqual(await dues(), { 1: 9, 2: 0, 3: 1, 4: 1, 5: 0 })
      assert.equal((await queue.next('a', now + 1))?.id, 3)
    })

    test('is found behind more that are blocked than one search reads', async () => {
      await endpoint('a')
      await delivery('a', { order_key: 'ann', due_at: now + 500 })
      await deliveriesOf('a', 70, { order_key: 'ann', due_at: now - 5 })
      const bob = await delivery('a', { order_key: 'bob', due_at: now - 1 })
      assert.equal((await queue.next('a', now))?.id, bob)
    })

    test('that alone is blocked is due with the delivery that blocks it', async () => {
      await endpoint('a')
      await delivery('a', { order_key: 'ann', due_at: now + 500 })
      await delivery('a', { order_key: 'ann', due_at: now - 7 })
      assert.equal(await queue.next('a', now), null)
      assert.deepEqual(await dues(), { 1: 500, 2: 500 })
    })

    test('is none behind one that is due as well, whose turn comes first', async () => {
      await endpoint('a')
      await delivery('a', { order_key: 'ann', due_at: now - 1 })
      await delivery('a', { order_key: 'ann', due_at: now - 1 })
      assert.equal((await queue.next('a', now))?.id, 1)
      assert.deepEqual(await dues(), { 1: -1, 2: -1 })
    })
  })

  const done = (state: 'delivered' | 'failed' | 'waiting', due_at = now) => ({
    ...{ state, due_at, status: 200, detail: 'd', sealed: 's' },
    finished_at: state === 'waiting' ? null : now,
  })

  onEmptyTables('the result of a delivery', () => {
    test('counts the attempt; an ended delivery stays as it is', async () => {
      await endpoint('a')
      const [one, two] = [await delivery('a'), await delivery('a')]
      const other = (await deliveries())[1]
      await queue.record(one, done('waiting', now + 5))
      const [first] = await deliveries()
      assert.deepEqual(
        [first?.state, first?.attempts, first?.due_at, first?.status, first?.detail, first?.sealed],
        ['waiting', 1, now + 5, 200, 'd', 's'],
      )
      await queue.record(one, done('delivered'))
      const before = await deliveries()
      assert.deepEqual(
        [before[0]?.state, before[0]?.attempts, before[0]?.finished_at],
        ['delivered', 2, now],
      )
      await queue.record(one, done('failed'))
      assert.deepEqual(await deliveries(), before)
      assert.deepEqual(before[1], other)
      assert.equal(two, 2)
    })

    test('frees what waits behind it: of its endpoint and its person, and later than now', async () => {
      await endpoint('a')
      await endpoint('b')
      await delivery('a', { order_key: 'ann', due_at: now + 5 })
      await delivery('a', { order_key: 'ann', due_at: now - 5 })
      await delivery('a', { order_key: 'ann', due_at: now + 5, state: 'failed' })
      await delivery('a', { order_key: 'bob', due_at: now + 5 })
      await delivery('b', { order_key: 'ann', due_at: now + 5 })
      await queue.free('a', 'ann', now)
      assert.deepEqual(await dues(), { 1: 0, 2: -5, 3: 5, 4: 5, 5: 5 })
    })

    test('after a change of the endpoint what was refused is due again', async () => {
      await endpoint('a')
      await endpoint('b')
      await delivery('a', { due_at: now + 5 })
      await delivery('a', { due_at: now - 5 })
      await delivery('a', { due_at: now + 5, state: 'failed' })
      await delivery('b', { due_at: now + 5 })
      await queue.beginAnew('a', now)
      assert.deepEqual(await dues(), { 1: 0, 2: -5, 3: 5, 4: 5 })
    })

    test('so many are due again at once, the first first', async () => {
      await endpoint('a')
      await delivery('a', { due_at: now + 900 })
      await deliveriesOf('a', 500, { due_at: now + 5 })
      await queue.beginAnew('a', now)
      const left = (await deliveries()).filter(({ due_at }) => due_at > now)
      assert.deepEqual(
        left.map(({ id }) => id),
        [1],
      )
    })
  })

  onEmptyTables('the repair of queues', () => {
    test('an endpoint with deliveries is due, if nothing else makes it due', async () => {
      await endpoint('a')
      await endpoint('b')
      await endpoint('c')
      await endpoint('d')
      await endpoint('off', { state: 'disabled' })
      for (const id of ['a', 'b', 'c', 'off']) await delivery(id, { due_at: now + 5 })
      await delivery('d', { state: 'delivered' })
      await waits('b', { due_at: null })
      await waits('c', { due_at: now + 77 })
      assert.equal(await queue.repair('', now, 10), null)
      const found = (await queues()).map((row) => [row.endpoint, row.due_at])
      assert.deepEqual(found, [
        ['a', now],
        ['b', now],
        ['c', now + 77],
      ])
      assert.deepEqual(Object.values(await dues()), [5, 5, 5, 5, 0])
    })

    test('goes on behind the last endpoint of a batch', async () => {
      for (const id of ['a', 'b', 'c']) {
        await endpoint(id)
        await delivery(id)
      }
      assert.equal(await queue.repair('', now, 2), 'b')
      assert.deepEqual(
        (await queues()).map((row) => row.endpoint),
        ['a', 'b'],
      )
      assert.equal(await queue.repair('b', now, 2), null)
      assert.deepEqual(
        (await queues()).map((row) => row.endpoint),
        ['a', 'b', 'c'],
      )
      assert.equal(await queue.repair('', now, 3), 'c')
      assert.equal(await queue.repair('c', now, 3), null)
    })

    for (const [name, row] of [
      ['a pause', { paused_until: now + 7 * hour, due_at: now }],
      ['a lease', { due_at: now + hour, locked_by: 'one' }],
      ['a delay', { due_at: now + day }],
    ] as const) {
      test(`${name} that a right clock makes stays, and a longer one ends`, async () => {
        await endpoint('a')
        await waits('a', { failures: 2, ...row })
        const before = await queues()
        await queue.repair('', now, 10)
        assert.deepEqual(await queues(), before)
        await queue.repair('', now - 1, 10)
        const [{ due_at, failures, locked_by, paused_until } = assert.fail()] = await queues()
        assert.deepEqual([due_at, failures, locked_by, paused_until], [now - 1, 2, null, 0])
      })
    }

    test('a delivery of an event that is ahead is due now; one of a minute ahead waits', async () => {
      await endpoint('a')
      await endpoint('b')
      await waits('a', { due_at: now + 5 })
      await waits('b', { due_at: now + 5 })
      await delivery('a', { at: now + 60_000, due_at: now + 5 })
      await delivery('b', { at: now + 60_001, due_at: now + 5 })
      await delivery('b', { at: now + 60_000, due_at: now + 5 })
      await delivery('b', { at: now, due_at: now + day })
      await delivery('b', { at: now, due_at: now + day + 1 })
      await delivery('b', { at: now + 60_001, due_at: now - 5 })
      await delivery('b', { at: now + 60_001, due_at: now + 5, state: 'failed' })
      await queue.repair('', now, 10)
      assert.deepEqual(
        (await queues()).map(({ due_at }) => due_at),
        [now + 5, now],
      )
      assert.deepEqual(await dues(), { 1: 5, 2: 0, 3: 5, 4: day, 5: 0, 6: -5, 7: 5 })
    })

    test('changes so many deliveries at once, and no queue of another endpoint', async () => {
      await endpoint('a')
      await endpoint('b')
      await waits('b', { due_at: now + 5 })
      for (let count = 0; count < 3; count += 1) await delivery('a', { due_at: now + 2 * day })
      await delivery('b', { due_at: now + 2 * day })
      await queue.hasten(['a'], now, 2)
      const left = (await deliveries()).filter(({ due_at }) => due_at > now)
      assert.deepEqual(
        left.map(({ endpoint: of }) => of),
        ['a', 'b'],
      )
      assert.equal((await queueOf('b'))?.due_at, now + 5)
    })

    test('a purge deletes what ended until a time', async () => {
      await endpoint('a')
      for (const finished_at of [now - 1, now, now + 1, null]) await delivery('a', { finished_at })
      assert.equal(await queue.purge(now, 1), 1)
      assert.equal(await queue.purge(now, 10), 1)
      assert.deepEqual(
        (await deliveries()).map(({ finished_at }) => finished_at),
        [now + 1, null],
      )
    })
  })

  onEmptyTables('a checkpoint', () => {
    test('a checkpoint is read by its number', async () => {
      for (const number of [1, 2]) {
        const row = {
          number,
          at: now,
          previous: '',
          heads: '[]',
          records: 0,
          key_id: 'k',
          signature: 's',
        }
        await db.insertInto('audit_checkpoints').values(row).execute()
      }
      assert.equal((await queue.checkpoint(2))?.number, 2)
      assert.equal(await queue.checkpoint(3), undefined)
    })
  })
})

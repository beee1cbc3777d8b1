// A database makes a difference: a lease belongs to a worker by a statement, and a choice to a transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { soleProcess } from '../../src/core/workers/workers.ts'
import { webhookQueue } from '../../src/extras/webhooks/queue.ts'
import { createWebhookSubscriptions } from '../../src/extras/webhooks/subscriptions.ts'
import { testApp } from '../app.ts'
import { leases } from '../webhook-sending.ts'
import { newWebhook } from '../webhooks.ts'

suite('a lease of webhooks that another worker has taken over', async () => {
  const app = await testApp()
  const leaseMs = 30_000

  test('is neither gone on with nor ended by the worker that had it', async () => {
    const { id } = await newWebhook(app)
    const queue = webhookQueue(app.deps.db)
    const now = app.clock.now()
    await queue.notify([id], now)
    const first = (await queue.claim(now, { locked_by: 'one' })) ?? assert.fail()
    assert.equal(first.endpoint, id)
    assert.equal(await queue.claim(now + leaseMs - 1, { locked_by: 'two' }), null)
    const second = (await queue.claim(now + leaseMs, { locked_by: 'two' })) ?? assert.fail()
    assert.equal(second.endpoint, id)
    const before = await leases(app)
    assert.equal(before[0]?.locked_by, 'two')
    assert.equal(await queue.renew(first, now + leaseMs), false)
    assert.equal(await queue.retry(first, now), false)
    assert.equal(await queue.end(first), false)
    assert.deepEqual(await leases(app), before)
    assert.equal(await queue.renew(second, now + leaseMs), true)
  })
})

suite('an endpoint that is chosen in a transaction that is rolled back', async () => {
  const app = await testApp()
  const { db, feed } = app.deps

  test('gets no event after it', async () => {
    const { id } = await newWebhook(app)
    const setState = (trx: typeof db, state: 'enabled' | 'disabled') =>
      trx.updateTable('webhook_endpoints').set({ state }).where('id', '=', id).execute()
    await setState(db, 'disabled')
    const subscriptions = createWebhookSubscriptions({
      ...{ db, feed, knownEvents: [], workers: soleProcess },
    })
    const failing = transact(db, [], async (trx) => {
      await setState(trx as typeof db, 'enabled')
      subscriptions.changed()
      await subscriptions.current(trx)
      assert.deepEqual(subscriptions.endpointsFor('user_created'), [id])
      throw new Error('rolled back')
    })
    await assert.rejects(failing, /rolled back/)
    await transact(db, [], (trx) => subscriptions.current(trx))
    assert.deepEqual(subscriptions.endpointsFor('user_created'), [])
  })
})

// A database makes a difference: a turn belongs to a worker by a statement, and a choice to a transaction.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { transact } from '../../src/core/database/transactions.ts'
import { soleProcess } from '../../src/core/workers/workers.ts'
import { createWebhookInterest } from '../../src/extras/webhooks/interest.ts'
import { queueStore } from '../../src/extras/webhooks/queue-store.ts'
import { testApp } from '../app.ts'
import { turns } from '../webhook-sending.ts'
import { newWebhook } from '../webhooks.ts'

suite('a turn of webhooks that another worker has taken over', async () => {
  const app = await testApp()

  test('is neither gone on with nor ended by the worker that had it', async () => {
    const { id } = await newWebhook(app)
    const queue = queueStore(app.deps.db)
    const now = app.clock.now()
    await queue.wake([id], now)
    const lane = (await turns(app))[0]?.lane ?? assert.fail('no turn')
    const first = await queue.take(lane, { worker: 'one', now, until: now + 10 })
    assert.equal(first?.endpoint, id)
    const second = await queue.take(lane, { worker: 'two', now: now + 10, until: now + 99 })
    assert.equal(second?.endpoint, id)
    const before = await turns(app)
    assert.equal(before[0]?.locked_by, 'two')
    assert.equal(await queue.goOn(id, 'one', now + 200), null)
    const end = { lane: 'quick', failures: 0, pausedUntil: 0, dueAt: null, now, wakes: 0 } as const
    await queue.end(id, 'one', end)
    assert.deepEqual(await turns(app), before)
    assert.notEqual(await queue.goOn(id, 'two', now + 200), null)
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
    const interest = createWebhookInterest({ db, feed, workers: soleProcess })
    const failing = transact(db, [], async (trx) => {
      await setState(trx as typeof db, 'enabled')
      interest.changed()
      await interest.current(trx)
      assert.deepEqual(interest.endpointsFor('user_created'), [id])
      throw new Error('rolled back')
    })
    await assert.rejects(failing, /rolled back/)
    await transact(db, [], (trx) => interest.current(trx))
    assert.deepEqual(interest.endpointsFor('user_created'), [])
  })
})

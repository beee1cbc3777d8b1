// A database makes a difference: which rows are due.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { type TestApp, testApp } from '../app.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { deliveriesOf, leases, runJob, sendUntil, setUp } from '../webhook-sending.ts'

const day = 86_400

const attempted = async (app: TestApp, attempts: number) =>
  (await deliveriesOf(app))[0]?.attempts === attempts

/** Whether each worker has noted what it sent. */
const isNoted = async (app: TestApp) =>
  (await leases(app)).every(({ locked_by }) => locked_by === null)

suite('webhooks beside a clock that was ahead', () => {
  test('what it has put off, or a process has taken by it, is sent when it is right again', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    receiver.answer = (_message, response) =>
      void response.writeHead(500, { 'retry-after': '3600' }).end()
    app.clock.advance(2 * day)
    await app.account('ann')
    await sendUntil(app, () => attempted(app, 1))
    await sendUntil(app, () => isNoted(app))
    app.clock.advance(-2 * day)
    receiver.answer = (_message, response) => void response.writeHead(204).end()
    await runJob(app, 'forgotten webhooks')
    await sendUntil(app, () => receiver.received.length === 2)
    await sendUntil(app, () => isNoted(app)) // otherwise the next lease would take the message from it
    app.clock.advance(2 * day)
    await app.account('bob')
    const due_at = app.clock.now() + 30_000
    await app.deps.db.updateTable('webhook_queues').set({ locked_by: 'killed', due_at }).execute()
    app.clock.advance(-2 * day)
    await app.account('cid')
    await runJob(app, 'webhooks')
    await runJob(app, 'forgotten webhooks')
    await sendUntil(app, () => receiver.received.length === 4)
  })

  test('a lease and a pause of now are left alone', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    receiver.answer = (_message, response) =>
      void response.writeHead(503, { 'retry-after': '999999' }).end()
    await app.account('ann')
    await sendUntil(app, () => attempted(app, 1))
    await sendUntil(app, () => isNoted(app))
    const before = [await leases(app), await deliveriesOf(app)]
    await runJob(app, 'forgotten webhooks')
    await runJob(app, 'webhooks')
    assert.deepEqual([await leases(app), await deliveriesOf(app)], before)
    const lease = { locked_by: 'other', due_at: app.clock.now() + 30_000 }
    await app.deps.db.updateTable('webhook_queues').set(lease).execute()
    await runJob(app, 'forgotten webhooks')
    const [{ locked_by, due_at } = assert.fail()] = await leases(app)
    assert.deepEqual({ locked_by, due_at }, lease)
  })
})

suite('messages of one account that are always refused', () => {
  test('take three days together with those behind them, and then go one after the other', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const ann = await app.account('ann')
    await setUp(app, receiver.url, ['user_updated', 'user_created'])
    receiver.answer = ({ body }, response) =>
      void response.writeHead(body.type === 'user_updated' ? 400 : 204).end()
    for (const name of ['one', 'two', 'three']) {
      await app.call('PUT', `/users/${ann.userId}`, {
        headers: app.basic(app.admin),
        json: { name, email: 'a@example.org' },
      })
    }
    const states = async () => (await deliveriesOf(app)).map(({ state }) => state)
    const began = app.clock.now()
    await sendUntil(app, async () => (await states()).length > 2)
    for (let step = 0; step < 300 && (await states()).includes('waiting'); step += 1) {
      if (step % 20 === 0) await app.account(`other${step}`) // which it takes: it is not dead
      await runJob(app, 'webhooks')
      await sendUntil(app, () => isNoted(app))
      app.clock.advance(1800)
    }
    assert.ok((await states()).every((state) => state !== 'waiting'))
    const days = (app.clock.now() - began) / 1000 / day
    assert.ok(days > 2.5 && days < 3.5, `${days}`)
    const refused = (await deliveriesOf(app)).filter(({ type }) => type === 'user_updated')
    const [first = assert.fail(), ...behind] = refused
    assert.deepEqual([refused.length, first.state, first.attempts], [3, 'failed', 10])
    for (const { state, attempts } of behind) {
      assert.equal(state, 'failed')
      assert.ok(attempts >= 4 && attempts <= 7, `${attempts}`) // ten if it were young
    }
  })
})

// A database makes a difference: what a lease reads of a change that is made beside it.
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { suite, test } from 'node:test'
import { deliveryLimits } from '../../src/extras/webhooks/deliver.ts'
import { type TestApp, testApp } from '../app.ts'
import { signaturesOf, startReceiver } from '../webhook-receiver.ts'
import { deliveriesOf, leases, runJob, sendUntil, setUp } from '../webhook-sending.ts'

/** An endpoint of which the second message is under way, and eight more wait. */
async function underWay() {
  const app = await testApp()
  const [before, after] = [await startReceiver(), await startReceiver()]
  const { id, secret } = await setUp(app, before.url, ['user_created'])
  await app.account('first')
  await sendUntil(app, () => before.received.length === 1)
  const held: ServerResponse[] = []
  before.answer = (_message, response) => void held.push(response)
  for (let count = 0; count < 9; count += 1) await app.account(`user${count}`)
  await sendUntil(app, () => held.length === 1)
  const answer = (status: number) => {
    for (const response of held.splice(0)) response.writeHead(status).end()
  }
  return { app, before, after, id, secret, answer }
}

async function change(app: TestApp, method: string, path: string, json?: object) {
  const headers = app.basic(app.admin)
  const answer = await app.call(method, `/api/admin/webhooks/${path}`, {
    headers,
    ...(json && { json }),
  })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

const isAtRest = async (app: TestApp) =>
  (await leases(app)).every(({ locked_by }) => locked_by === null)

suite('an endpoint of webhooks that changes in the middle of a lease', () => {
  test('gets the rest at its new address; what the one before says disables nothing', async () => {
    const { app, before, after, id, answer } = await underWay()
    const [lease] = await leases(app)
    assert.ok(Number(lease?.due_at) > app.clock.now() + deliveryLimits.timeoutMs, 'its lease')
    await change(app, 'PUT', id, { url: after.url })
    answer(410)
    await sendUntil(app, () => after.received.length === 8)
    app.clock.advance(5)
    await sendUntil(app, () => after.received.length === 9)
    assert.equal(before.received.length, 2)
    const { state, health } = (
      await app.call('GET', `/api/admin/webhooks/${id}`, {
        headers: app.basic(app.admin),
      })
    ).body
    assert.deepEqual([state, health.failing_since], ['enabled', null])
    assert.deepEqual(
      app.log.filter(({ event }) => event === 'webhook_disabled'),
      [],
    )
  })

  test('gets nothing more once it is removed or disabled', async () => {
    for (const [method, json] of [['DELETE'], ['PUT', { state: 'disabled' }]] as const) {
      const { app, before, id, answer } = await underWay()
      await change(app, method, id, json)
      answer(204)
      await sendUntil(app, () => isAtRest(app))
      await runJob(app, 'webhooks')
      await sendUntil(app, () => isAtRest(app))
      assert.equal(before.received.length, 2)
    }
  })

  test('signs the rest with its new secret too', async () => {
    const { app, before, id, secret, answer } = await underWay()
    const rotated = await change(app, 'POST', `${id}/secret`)
    before.answer = (_message, response) => void response.writeHead(204).end()
    answer(204)
    await sendUntil(app, () => before.received.length === 10)
    const signed = before.received.map((message) => {
      const both = signaturesOf(message, [rotated.secret, secret])
      return message.headers['webhook-signature'] === both
    })
    assert.deepEqual(signed, [...Array(2).fill(false), ...Array(8).fill(true)])
  })

  test('with a new address, what had failed at the one before goes there at once', async () => {
    const app = await testApp()
    const [before, after] = [await startReceiver(), await startReceiver()]
    const { id } = await setUp(app, before.url, ['user_created'])
    before.answer = (_message, response) => void response.writeHead(500).end()
    await app.account('ann')
    for (const attempts of [1, 2, 3]) {
      await sendUntil(app, async () => (await deliveriesOf(app))[0]?.attempts === attempts)
      if (attempts < 3) app.clock.advance(300)
    }
    await sendUntil(app, () => isAtRest(app)) // the lease ends after its attempt is stored
    const read = async () =>
      (await app.call('GET', `/api/admin/webhooks/${id}`, { headers: app.basic(app.admin) })).body
    assert.notEqual((await read()).health.failing_since, null)
    await change(app, 'PUT', id, { url: after.url })
    assert.equal((await read()).health.failing_since, null, 'it is another one')
    await sendUntil(app, () => after.received.length === 1)
    assert.equal(before.received.length, 3)
  })
})

suite('a person whose key in the audit log was damaged', () => {
  test('holds up no other message, though what the receiver says cannot be kept', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const ann = await app.account('ann')
    await setUp(app, receiver.url, ['user_updated'])
    receiver.answer = (_message, response) => void response.writeHead(400).end('no good')
    const { status } = await app.call('PUT', `/users/${ann.userId}`, {
      headers: app.basic(app.admin),
      json: { name: 'Ann', email: 'ann@example.org' },
    })
    assert.equal(status, 200)
    const sealed = Buffer.alloc(60, 7).toString('base64url')
    await app.deps.db.updateTable('audit_subjects').set({ sealed }).execute()
    await sendUntil(app, async () => (await deliveriesOf(app))[0]?.attempts === 1)
    const [{ id } = assert.fail()] = await deliveriesOf(app)
    const shown = await app.call('GET', `/api/admin/webhooks/deliveries/${id}`, {
      headers: app.basic(app.admin),
    })
    assert.deepEqual([shown.status, shown.body.status, shown.body.answer], [200, 400, null])
  })
})

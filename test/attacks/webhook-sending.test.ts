// A database makes a difference: leases, batches and what an insert of many rows does.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, suite, test } from 'node:test'
import { testApp } from '../app.ts'
import { postgresOnly } from '../database.ts'
import { until } from '../until.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { deliveriesOf, leases, runJob, sendUntil, setUp } from '../webhook-sending.ts'

/** A receiver that takes connections and never answers. */
async function startSilence() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).resume()
    socket.on('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets }
}

suite('webhooks whose receivers are slow, hostile or very many', () => {
  test('an endpoint that answers does not wait for many that never do', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const silence = await startSilence()
    await setUp(app, receiver.url, ['user_created'])
    await app.account('ann')
    await sendUntil(app, () => receiver.received.length === 1)
    for (let count = 0; count < 30; count += 1) {
      await setUp(app, `${silence.url}/${count}`, ['user_created'])
    }
    await app.account('bob')
    await sendUntil(app, () => silence.sockets.size === 30) // each slow one gave up its place
    await app.account('cid')
    await sendUntil(app, () => receiver.received.length === 3)
    assert.equal(silence.sockets.size, 30)
    await app.close()
    await until(() => silence.sockets.size === 0) // the stop ends what is under way
  })

  test('an endpoint gets one request at a time, in the order of the events', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    const open: (() => void)[] = []
    let most = 0
    receiver.answer = (_message, response) => {
      open.push(() => response.writeHead(204).end())
      most = Math.max(most, open.length)
    }
    for (let count = 0; count < 9; count += 1) await app.account(`user${count}`)
    await sendUntil(app, () => {
      for (const answer of open.splice(0)) answer()
      return receiver.received.length === 9
    })
    for (const answer of open.splice(0)) answer()
    assert.equal(most, 1)
    const numbers = receiver.received.map(({ body }) => body.data.number)
    assert.deepEqual(
      numbers,
      numbers.toSorted((a, b) => a - b),
    )
  })

  test('an event for 120 endpoints is spread in steps, each endpoint once, also after a kill', async () => {
    const app = await testApp()
    const silence = await startSilence()
    const ids: string[] = []
    for (let count = 0; count < 120; count += 1) {
      ids.push((await setUp(app, `${silence.url}/${count}`, ['user_created'])).id)
    }
    await app.account('ann')
    // As a process leaves it that was killed after its first steps.
    const spread_to = ids.toSorted()[59] ?? null
    await app.deps.db.updateTable('webhook_events').set({ spread_to }).execute()
    await runJob(app, 'webhooks')
    const rows = await deliveriesOf(app)
    assert.deepEqual(
      rows.map(({ endpoint }) => endpoint),
      ids.toSorted().slice(60),
    )
    assert.deepEqual(await app.deps.db.selectFrom('webhook_events').selectAll().execute(), [])
  })

  test('the lease of a killed process is taken over when the lease ends', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    await app.account('ann')
    await sendUntil(app, () => receiver.received.length === 1)
    await sendUntil(app, async () => (await leases(app))[0]?.locked_by === null)
    const due_at = app.clock.now() + 30_000
    await app.deps.db.updateTable('webhook_queues').set({ locked_by: 'another', due_at }).execute()
    await app.account('bob')
    await runJob(app, 'webhooks')
    app.clock.advance(29)
    await runJob(app, 'webhooks')
    assert.equal(receiver.received.length, 1)
    app.clock.advance(1)
    await sendUntil(app, () => receiver.received.length === 2)
  })

  test('a redirect, a metadata address and a closed port are failures that say why', async () => {
    const app = await testApp({ WEBHOOK_NETWORKS: '10.0.0.0/8' })
    const receiver = await startReceiver()
    receiver.answer = (_message, response) =>
      void response.writeHead(307, { location: 'http://169.254.169.254/' }).end()
    const { id } = await setUp(app, receiver.url, ['user_created'])
    await app.account('ann')
    await sendUntil(app, async () => (await deliveriesOf(app))[0]?.attempts === 1)
    const [row] = await deliveriesOf(app)
    assert.deepEqual([row?.status, row?.detail], [307, 'answered 307: redirects are not followed'])
    assert.equal(receiver.received.length, 1)
    receiver.close()
    await sendUntil(app, async () => (await leases(app))[0]?.locked_by === null)
    app.clock.advance(6)
    await sendUntil(app, async () => (await deliveriesOf(app))[0]?.attempts === 2)
    const [again] = await deliveriesOf(app)
    assert.deepEqual([again?.endpoint, again?.status], [id, null])
    assert.equal(again?.detail, 'no connection: ECONNREFUSED')
  })

  test('one account whose message is refused for hours holds up no other account', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const [ann, bob] = [await app.account('ann'), await app.account('bob')]
    await setUp(app, receiver.url, ['user_updated'])
    const change = (userId: number, name: string) =>
      app.call('PUT', `/users/${userId}`, {
        headers: app.basic(app.admin),
        json: { name, email: 'a@example.org' },
      })
    receiver.answer = (message, response) =>
      void response.writeHead(message.body.data.target.user_id === ann.userId ? 500 : 204).end()
    await change(bob.userId, 'first')
    await sendUntil(app, () => receiver.received.length === 1)
    // More than the service looks at in one step.
    for (let count = 0; count < 80; count += 1) await change(ann.userId, `ann ${count}`)
    await change(bob.userId, 'second')
    const ofBob = () =>
      receiver.received.filter(({ body }) => body.data.target.user_id === bob.userId).length
    for (let round = 0; round < 20 && ofBob() < 2; round += 1) {
      await runJob(app, 'webhooks')
      await until(async () => (await leases(app))[0]?.locked_by === null)
      app.clock.advance(10)
    }
    assert.equal(ofBob(), 2)
    const ofAnn = receiver.received.filter(({ body }) => body.data.target.user_id === ann.userId)
    assert.equal(new Set(ofAnn.map(({ id }) => id)).size, 1)
  })

  postgresOnly('two nodes share the work, and each message arrives once', async () => {
    const app = await testApp()
    const other = await testApp({}, { directory: app.directory, clock: app.clock })
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    await runJob(other, 'webhook endpoints')
    for (let count = 0; count < 10; count += 1) {
      const node = count % 2 === 0 ? app : other
      const headers = node.basic(node.admin)
      const json = { name: `user ${count}`, email: 'someone@example.org' }
      const made = await node.call('POST', '/users', { headers, json })
      assert.equal(made.status, 201, made.text)
    }
    await until(async () => {
      await Promise.all([runJob(app, 'webhooks'), runJob(other, 'webhooks')])
      return receiver.received.length >= 10
    })
    await until(async () => (await deliveriesOf(app)).every(({ state }) => state === 'delivered'))
    assert.equal(receiver.received.length, 10)
    assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 10)
  })
})

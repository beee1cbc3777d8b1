// A database makes a difference: the order of rows, leases, and what a statement can insert.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { packageVersion } from '../../src/core/config/version.ts'
import { testApp } from '../app.ts'
import { signaturesOf, startReceiver } from '../webhook-receiver.ts'
import { deliveriesOf, leases, runJob, sendUntil, setUp } from '../webhook-sending.ts'

const minute = 60

suite('the sending of webhooks', () => {
  test('an event that was chosen arrives signed, once, and no other one', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const { secret } = await setUp(app, `${receiver.url}/hook?a=b`, ['user_created'])
    const ann = await app.account('ann')
    await app.session(ann)
    await sendUntil(app, () => receiver.received.length > 0)
    await sendUntil(app, async () =>
      (await leases(app)).every(({ locked_by }) => locked_by === null),
    )
    const [message, ...more] = receiver.received
    assert.ok(message)
    assert.equal(more.length, 0)
    const { headers, body } = message
    assert.deepEqual(
      [message.path, headers['content-type'], headers['user-agent'], headers['accept-encoding']],
      ['/hook?a=b', 'application/json', `Gatehouse/${packageVersion()}`, undefined],
    )
    assert.equal(headers['webhook-timestamp'], String(app.clock.now() / 1000))
    assert.equal(headers['webhook-signature'], signaturesOf(message, [secret]))
    const record = await app.deps.db
      .selectFrom('audit_records')
      .selectAll()
      .where('type', '=', 'user_created')
      .orderBy('number', 'desc')
      .executeTakeFirstOrThrow()
    assert.equal(message.id, record.id)
    assert.deepEqual(Object.keys(body), ['type', 'timestamp', 'data'])
    assert.deepEqual(
      [body.type, body.timestamp, body.data.id, body.data.chain, body.data.place],
      ['user_created', '2026-01-15T12:00:00.000Z', record.id, record.chain, record.place],
    )
    const [{ state, attempts, status, finished_at } = assert.fail(), ...others] =
      await deliveriesOf(app)
    assert.deepEqual([state, attempts, status, finished_at], ['delivered', 1, 204, app.clock.now()])
    assert.deepEqual(others, [])
    assert.deepEqual(await app.deps.db.selectFrom('webhook_events').selectAll().execute(), [])
  })

  test('`ids` leaves out what names a person, `full` does not', async () => {
    const app = await testApp()
    const [thin, full] = [await startReceiver(), await startReceiver()]
    await setUp(app, thin.url, ['authn_login_success'])
    await setUp(app, full.url, ['authn_login_success'], { content: 'full' })
    const ann = await app.account('ann')
    const login = { username: ann.username, password: ann.password, mode: 'session' }
    await app.call('POST', '/login', {
      form: login,
      headers: { 'user-agent': 'Browser of Ann' },
      from: '203.0.113.7',
    })
    await sendUntil(app, () => thin.received.length > 0 && full.received.length > 0)
    const [ids, all] = [thin.received[0]?.body.data, full.received[0]?.body.data]
    assert.deepEqual(
      [all.actor.username, all.address, all.user_agent],
      ['ann', '203.0.113.7', 'Browser of Ann'],
    )
    assert.doesNotMatch(JSON.stringify(ids), /ann|203\.0\.113|Browser/i)
    assert.deepEqual(
      [ids.actor.subject, ids.target.user_id, ids.id],
      [String(ann.userId), ann.userId, all.id],
    )
    assert.deepEqual(Object.keys(ids), Object.keys(all))
    assert.equal(thin.received[0]?.id, full.received[0]?.id)
  })

  test('after a rotation, messages have both signatures for a day', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const { id, secret } = await setUp(app, receiver.url, ['user_created'])
    const rotated = await app.call('POST', `/api/admin/webhooks/${id}/secret`, {
      headers: app.basic(app.admin),
    })
    assert.equal(rotated.status, 200, rotated.text)
    await app.account('ann')
    // A delivery whose result is not stored yet would be sent again after the advance.
    await sendUntil(app, async () => (await deliveriesOf(app))[0]?.state === 'delivered')
    app.clock.advance(24 * 60 * minute + 1)
    await app.account('bob')
    await sendUntil(app, () => receiver.received.length === 2)
    const signatures = receiver.received.map(({ headers }) => headers['webhook-signature'])
    const [first = assert.fail(), second = assert.fail()] = receiver.received
    assert.deepEqual(signatures, [
      signaturesOf(first, [rotated.body.secret, secret]),
      signaturesOf(second, [rotated.body.secret]),
    ])
  })

  test('after two rotations, the secret from before the last one but one signs nothing', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const { id } = await setUp(app, receiver.url, ['user_created'])
    const rotate = async (): Promise<string> =>
      (
        await app.call('POST', `/api/admin/webhooks/${id}/secret`, {
          headers: app.basic(app.admin),
        })
      ).body.secret
    const [second, third] = [await rotate(), await rotate()]
    await app.account('ann')
    await sendUntil(app, () => receiver.received.length === 1)
    const [message = assert.fail()] = receiver.received
    assert.equal(message.headers['webhook-signature'], signaturesOf(message, [third, second]))
  })

  test('the events of an account arrive in their order, though one is refused at first', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const [ann, bob] = [await app.account('ann'), await app.account('bob')]
    await setUp(app, receiver.url, ['privilege_permissions_changed', 'user_updated'])
    receiver.answer = (_message, response) => void response.writeHead(500).end('not now')
    const change = async (name: string, roles: string[]) => {
      const answer = await app.call('PUT', `/api/admin/accounts/${name}`, {
        headers: app.basic(app.admin),
        json: { roles },
      })
      assert.equal(answer.status, 200, answer.text)
    }
    for (const roles of [['USER', 'ADMIN'], ['USER'], ['USER', 'ADMIN']]) {
      await change('ann', roles)
      await change('bob', roles)
    }
    await sendUntil(app, () => receiver.received.length === 1)
    await sendUntil(app, async () => (await leases(app))[0]?.locked_by === null)
    receiver.answer = (_message, response) => void response.writeHead(200).end()
    await runJob(app, 'webhooks')
    assert.equal(receiver.received.length, 1) // it pauses
    app.clock.advance(5)
    await sendUntil(app, () => receiver.received.length === 7)
    for (const { userId } of [ann, bob]) {
      const places = receiver.received
        .slice(1)
        .filter(({ body }) => body.data.target.user_id === userId)
        .map(({ body }) => body.data.number)
      assert.deepEqual([places, places.length], [places.toSorted((a, b) => a - b), 3])
    }
    const first = receiver.received[0]
    assert.equal(receiver.received.filter(({ id }) => id === first?.id).length, 2)
  })

  test('a refused message is tried again by the schedule, and given up after three days', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created', 'webhook_*'])
    receiver.answer = (_message, response) => void response.writeHead(400).end('no good')
    await app.account('ann')
    const times: number[] = []
    const began = app.clock.now()
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      await sendUntil(app, () => receiver.received.length === attempt)
      // The attempt is counted when it begins; its next time is stored when it was answered.
      await sendUntil(app, async () => {
        const [row] = await deliveriesOf(app)
        if (row?.attempts !== attempt) return false
        return row.state === 'failed' || row.due_at > app.clock.now()
      })
      times.push((app.clock.now() - began) / 1000)
      const [row = assert.fail()] = await deliveriesOf(app)
      if (attempt === 1) assert.deepEqual([row.status, row.detail], [400, 'answered 400'])
      if (attempt < 10) app.clock.advance(Math.ceil((row.due_at - app.clock.now()) / 1000))
    }
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 72_000]
    for (const [index, wait] of waits.entries()) {
      const most = schedule[index] ?? 0
      assert.ok(wait <= most && wait >= Math.floor(most * 0.9), `${wait} of ${most}`)
    }
    assert.ok((times.at(-1) ?? 0) <= 3 * 86_400)
    const [row = assert.fail(), ...others] = await deliveriesOf(app)
    assert.deepEqual([row.state, row.finished_at], ['failed', app.clock.now()])
    assert.deepEqual(others, [])
    const told = app.log.filter(({ event }) => event === 'webhook_delivery_failed')
    assert.deepEqual(
      told.map(({ message, type, status, detail }) => [message, type, status, detail]),
      [[row.message, 'user_created', 400, 'answered 400']],
    )
    await runJob(app, 'audit records')
    await runJob(app, 'webhooks')
    assert.equal((await deliveriesOf(app)).length, 1) // what tells of it is sent to none
    assert.ok(new Set(receiver.received.map(({ id }) => id)).size === 1)
    assert.ok(new Set(receiver.received.map(({ text }) => text)).size === 1)
  })

  test('an endpoint that is gone is disabled at once, and keeps what waits', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    const { id } = await setUp(app, receiver.url, ['user_created'])
    receiver.answer = (_message, response) => void response.writeHead(410).end()
    await app.account('ann')
    await app.account('bob')
    await sendUntil(app, async () => {
      const row = await app.deps.db
        .selectFrom('webhook_endpoints')
        .select('state')
        .executeTakeFirst()
      return row?.state === 'failed'
    })
    const [event] = app.log.filter((line) => line.event === 'webhook_disabled')
    assert.deepEqual([event?.webhook, event?.origin, event?.reason], [id, receiver.url, 'gone'])
    await app.account('cid')
    await runJob(app, 'webhooks')
    assert.deepEqual(
      (await deliveriesOf(app)).map(({ state }) => state),
      ['waiting', 'waiting'],
    )
    receiver.answer = (_message, response) => void response.writeHead(204).end()
    const enabled = await app.call('PUT', `/api/admin/webhooks/${id}`, {
      headers: app.basic(app.admin),
      json: { state: 'enabled' },
    })
    assert.equal(enabled.status, 200, enabled.text)
    await runJob(app, 'forgotten webhooks')
    app.clock.advance(10)
    const before = receiver.received.length
    await sendUntil(app, () => receiver.received.length === before + 2)
  })

  test('an endpoint that takes nothing for three days is disabled, with an event', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    receiver.answer = (_message, response) => void response.writeHead(503).end()
    await app.account('ann')
    await sendUntil(app, () => receiver.received.length === 1)
    await sendUntil(app, async () => (await leases(app))[0]?.locked_by === null)
    app.clock.advance(3 * 86_400)
    await sendUntil(app, () => app.log.some(({ event }) => event === 'webhook_disabled'))
    const [event] = app.log.filter((line) => line.event === 'webhook_disabled')
    assert.deepEqual([event?.reason, event?.level], ['took_nothing', 'error'])
  })

  test('a receiver is left alone as long as it asks, up to six hours', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    for (const [header, seconds] of [
      ['120', 120],
      ['999999', 21_600],
      ['Thu, 15 Jan 2026 12:00:00 GMT', 0],
      ['soon', 0],
    ] as const) {
      receiver.answer = (_message, response) =>
        void response.writeHead(429, { 'retry-after': header }).end()
      const before = receiver.received.length
      if (before === 0) await app.account('ann')
      await sendUntil(app, () => receiver.received.length === before + 1)
      await sendUntil(app, async () => (await leases(app))[0]?.locked_by === null)
      const [lease = assert.fail()] = await leases(app)
      const paused = lease.paused_until - app.clock.now()
      if (seconds > 0) assert.equal(paused, seconds * 1000, header)
      else assert.ok(paused > 0 && paused <= 300_000, header)
      app.clock.advance(6 * 3600 + 1)
    }
  })

  test('a checkpoint of the audit log arrives as `audit verify` reads it', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['audit_checkpoint'])
    await app.account('ann')
    app.clock.advance(60)
    await runJob(app, 'audit checkpoints')
    await sendUntil(app, () => receiver.received.length > 0)
    const { body, id } = receiver.received[0] ?? assert.fail()
    const stored = await app.deps.db
      .selectFrom('audit_checkpoints')
      .selectAll()
      .where('number', '=', body.data.number)
      .executeTakeFirstOrThrow()
    assert.deepEqual([body.type, body.data], ['audit_checkpoint', { ...stored }])
    assert.match(id, new RegExp(`^checkpoint_${stored.number}_[\\w-]{16}$`))
  })

  test('the message of a person who was erased says no more who it is', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'], { content: 'full' })
    const ann = await app.account('ann')
    await app.deps.db
      .deleteFrom('audit_subjects')
      .where('subject', '=', String(ann.userId))
      .execute()
    await sendUntil(app, () => receiver.received.length > 0)
    const { data } = receiver.received[0]?.body ?? {}
    assert.deepEqual([data.erased, data.details], [true, null])
    // An application must learn whom it concerns; the id names no one any more.
    assert.deepEqual(data.target, { user_id: ann.userId, username: null })
    assert.doesNotMatch(receiver.received[0]?.text ?? '', /ann/i)
  })

  test('the deletion of a user says which user it was, and no name', async () => {
    for (const content of ['ids', 'full']) {
      const app = await testApp()
      const receiver = await startReceiver()
      await setUp(app, receiver.url, ['user_deleted'], { content })
      const ann = await app.account('ann')
      const headers = app.basic(app.admin)
      const deleted = await app.call('DELETE', `/users/${ann.userId}`, { headers })
      assert.equal(deleted.status, 200, deleted.text)
      await sendUntil(app, () => receiver.received.length > 0)
      const { data, type } = receiver.received[0]?.body ?? {}
      assert.deepEqual([type, data.erased, data.details], ['user_deleted', true, null])
      assert.deepEqual(data.target, { user_id: ann.userId, username: null })
      assert.doesNotMatch(receiver.received[0]?.text ?? '', /ann/i)
    }
  })

  test('a message whose record was removed is cancelled', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    await app.account('ann')
    await app.deps.db.deleteFrom('audit_records').where('type', '=', 'user_created').execute()
    await sendUntil(app, async () => (await deliveriesOf(app))[0]?.state === 'cancelled')
    assert.deepEqual(receiver.received, [])
  })

  test('what a receiver answers to a refused message is kept sealed', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_created'])
    receiver.answer = (_message, response) =>
      void response.writeHead(422).end(`no ${'x'.repeat(9000)}`)
    await app.account('ann')
    await sendUntil(app, async () => (await deliveriesOf(app))[0]?.attempts === 1)
    const [{ sealed } = assert.fail()] = await deliveriesOf(app)
    assert.ok(sealed && sealed.length < 6000)
    assert.doesNotMatch(sealed, /xxxx/)
  })

  test('an event that no endpoint wants adds nothing, and none of a rolled back change is sent', async () => {
    const app = await testApp()
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['user_deleted'])
    await app.account('ann')
    const twice = await app.call('POST', '/api/admin/accounts', {
      headers: app.basic(app.admin),
      json: {
        username: 'ann',
        password: 'pass phrase of somebody',
        roles: ['USER'],
        name: 'a',
        email: 'a@b.org',
      },
    })
    assert.equal(twice.status, 409)
    assert.deepEqual(await app.deps.db.selectFrom('webhook_events').selectAll().execute(), [])
  })
})

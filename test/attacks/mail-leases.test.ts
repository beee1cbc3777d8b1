// A database makes a difference: a worker that has lost its lease changes a row by a statement.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { mailStore } from '../../src/extras/mail/queue.ts'
import { testApp } from '../app.ts'
import { addMail, emailOf, mailRows, servicesOf } from '../mail.ts'

suite('a mail whose worker has lost its lease', async () => {
  const app = await testApp({ SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'gate@example.org' })
  const services = await servicesOf(app)
  const store = mailStore(app.deps.db)
  const leaseMs = 240_000
  const add = (expiresIn = 3600) =>
    addMail(app, services, {
      message: 'test',
      to: { address: emailOf('ann@example.org') },
      facts: { at: app.clock.now() },
      language: 'en',
      expiresAt: app.clock.now() + expiresIn * 1000,
    })
  const lease = async (owner: string) =>
    (await store.lease({ owner, now: app.clock.now() })) ?? assert.fail('nothing is due')
  const row = async (id: string) => (await mailRows(app)).find((mail) => mail.id === id)
  const clear = () => app.deps.db.deleteFrom('mails').execute()

  test('is neither ended nor given back by it, while another worker sends it', async () => {
    const id = await add()
    const lost = await lease('one')
    app.clock.advance(leaseMs / 1000)
    const taken = await lease('two')
    assert.equal(taken.id, id)
    const before = await row(id)
    const end = { state: 'sent', response: '250 taken' } as const
    const now = app.clock.now()
    assert.equal(await store.renew(lost, now), false)
    assert.equal(await store.end(lost, end), false)
    assert.equal(await store.retry(lost, now, { response: '421 later' }), false)
    assert.deepEqual(await row(id), before)
    assert.equal(await store.end(taken, end), true)
    assert.equal((await row(id))?.state, 'sent')
    await clear()
  })

  test('is not ended under the worker that sends it, because it is too late', async () => {
    const id = await add(60)
    await lease('one')
    app.clock.advance(61)
    assert.deepEqual(await store.expire(app.clock.now(), 100), [])
    assert.equal((await row(id))?.state, 'sending')
    app.clock.advance(leaseMs / 1000)
    const ended = await store.expire(app.clock.now(), 100)
    assert.deepEqual(
      ended.map((mail) => [mail.id, mail.state]),
      [[id, 'expired']],
    )
    await clear()
  })

  test('notices that were sent leave the limit of requests for mail alone', async () => {
    const now = app.clock.now()
    for (const kind of ['notice', 'request', 'request'] as const) {
      const id = await add()
      const change = { kind, message: 'reset', state: 'sent', finished_at: now } as const
      await app.deps.db.updateTable('mails').set(change).where('id', '=', id).execute()
    }
    const sent = await store.sentBetween(now - 60_000, now + 60_000)
    assert.deepEqual([...sent], [['reset', 2]])
    await clear()
  })
})

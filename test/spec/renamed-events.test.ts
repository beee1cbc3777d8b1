// A database makes a difference: the migration of subscriptions, and filters by several names.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { sql } from 'kysely'
import { statements } from '../../src/core/database/migrations/0041-webhook-event-names.ts'
import { statementsFor } from '../../src/core/database/migrations/statement.ts'
import { transact } from '../../src/core/database/transactions.ts'
import { resetRequested } from '../../src/extras/recovery/events.ts'
import { testApp } from '../app.ts'
import { testDatabase } from '../database.ts'
import { startReceiver } from '../webhook-receiver.ts'
import { runJob, sendUntil, setUp } from '../webhook-sending.ts'
import { newWebhook, webhooks } from '../webhooks.ts'

suite('a type of event that was renamed', async () => {
  const app = await testApp()
  const headers = await app.bearer(app.admin)
  const emit = () =>
    transact(app.deps.db, [], (trx) =>
      app.deps.events.emitInTransaction(trx, resetRequested, { user_id: null }),
    )

  test('reaches webhooks that subscribe to either name, and has the present name there', async () => {
    const receivers: Awaited<ReturnType<typeof startReceiver>>[] = []
    for (const chosen of [
      'password_reset_begun',
      'password_reset_b*',
      'password_reset_requested',
    ]) {
      const receiver = await startReceiver()
      await setUp(app, receiver.url, [chosen])
      receivers.push(receiver)
    }
    await emit()
    await sendUntil(app, () => receivers.every(({ received }) => received.length > 0))
    for (const { received } of receivers) {
      assert.deepEqual(
        received.map(({ body }) => body.type),
        ['password_reset_requested'],
      )
    }
    for (const type of ['password_reset_begun', 'password_reset_requested']) {
      const path = `${webhooks}/deliveries?type=${type}`
      assert.equal((await app.call('GET', path, { headers })).body.data.length, 3, type)
    }
    await app.deps.db
      .updateTable('webhook_deliveries')
      .set({ type: 'password_reset_begun' })
      .execute()
    const older = `${webhooks}/deliveries?type=password_reset_requested`
    assert.equal((await app.call('GET', older, { headers })).body.data.length, 3)
  })

  test('waits in the outbox of an older node under the former name, and arrives', async () => {
    const receiver = await startReceiver()
    await setUp(app, receiver.url, ['password_reset_requested'])
    await emit()
    await runJob(app, 'audit records')
    await app.deps.db.updateTable('webhook_events').set({ type: 'password_reset_begun' }).execute()
    await sendUntil(app, () => receiver.received.length > 0)
  })

  test('is added to the subscriptions to the former name, for older nodes', async () => {
    const { id } = await newWebhook(app, { events: ['sign_up_begun', 'user_*'] })
    const other = await newWebhook(app, { events: ['*'] })
    const rows = () =>
      app.deps.db.selectFrom('webhook_endpoints').select(['id', 'events', 'updated_at']).execute()
    const before = await rows()
    for (const _ of ['once', 'again']) {
      for (const statement of statementsFor(testDatabase, statements)) {
        await sql.raw(statement).execute(app.deps.db)
      }
    }
    const after = new Map((await rows()).map((row) => [row.id, row]))
    const [mine, theirs] = [after.get(id), after.get(other.id)]
    assert.equal(mine?.events, '["sign_up_begun","sign_up_requested","user_*"]')
    assert.equal(mine.updated_at, Number(before.find((row) => row.id === id)?.updated_at) + 1)
    assert.deepEqual(
      theirs,
      before.find((row) => row.id === other.id),
    )
  })
})

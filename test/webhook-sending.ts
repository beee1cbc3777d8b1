import assert from 'node:assert/strict'
import type { TestApp } from './app.ts'
import { until } from './until.ts'

/** An endpoint that a test has set up. */
export interface SetUp {
  readonly id: string
  readonly secret: string
}

export async function setUp(
  app: TestApp,
  url: string,
  events: readonly string[],
  more: object = {},
): Promise<SetUp> {
  const { status, body, text } = await app.call('POST', '/api/admin/webhooks', {
    headers: app.basic(app.admin),
    json: { url, events, ...more },
  })
  assert.equal(status, 201, text)
  return { id: body.id, secret: body.secret }
}

export async function runJob(app: TestApp, name: string): Promise<void> {
  const job = app.app.jobs.find((one) => one.name === name)
  assert.ok(job, name)
  await job.run()
}

/** Records told events, and sends what is due until the condition holds. */
export async function sendUntil(
  app: TestApp,
  condition: () => boolean | Promise<boolean>,
): Promise<void> {
  await until(async () => {
    await runJob(app, 'audit records')
    await runJob(app, 'webhooks')
    return condition()
  })
}

/** The deliveries as they are stored, the oldest first. */
export function deliveriesOf(app: TestApp) {
  return app.deps.db.selectFrom('webhook_deliveries').selectAll().orderBy('id').execute()
}

/** The leases of all endpoints as they are stored. */
export async function leases(app: TestApp) {
  return app.deps.db.selectFrom('webhook_queues').selectAll().orderBy('endpoint').execute()
}

/** How many events of a type are in the outbox, and not spread over the endpoints yet. */
export async function waitingFor(app: Pick<TestApp, 'deps'>, type: string): Promise<number> {
  const rows = await app.deps.db
    .selectFrom('webhook_events')
    .select('id')
    .where('type', '=', type)
    .execute()
  return rows.length
}

import assert from 'node:assert/strict'
import type { Headers, TestApp } from './app.ts'

export const webhooks = '/api/admin/webhooks'

/** Where nothing listens: a test of what is sent has a receiver of its own. */
export const unheard = 'https://hooks.example.org/gatehouse'

/** An endpoint as its administrator sees it when it is made. */
export interface NewWebhook {
  readonly id: string
  readonly secret: string
  readonly [field: string]: unknown
}

/** Makes an endpoint, and answers it with its secret. */
export async function newWebhook(
  app: TestApp,
  json: object = {},
  headers?: Headers,
): Promise<NewWebhook> {
  const answer = await app.call('POST', webhooks, {
    headers: headers ?? (await app.bearer(app.admin)),
    json: { url: unheard, events: ['*'], ...json },
  })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

/** Adds deliveries of an endpoint as the spreading of events does; answers their ids, the oldest first. */
export async function addDeliveries(
  app: Pick<TestApp, 'deps'>,
  endpoint: string,
  rows: readonly {
    readonly state?: 'waiting' | 'delivered' | 'failed' | 'cancelled'
    readonly type?: string
    readonly at?: number
    readonly message?: string
  }[],
): Promise<number[]> {
  const now = app.deps.clock.now()
  const ids: number[] = []
  for (const [index, row] of rows.entries()) {
    const { state = 'waiting', type = 'user_created', at = now } = row
    const isOver = state !== 'waiting'
    const { id } = await app.deps.db
      .insertInto('webhook_deliveries')
      .values({
        endpoint,
        message: row.message ?? `message-${index}`,
        type,
        state,
        at,
        due_at: at,
        created_at: at,
        attempts: isOver ? 3 : 0,
        finished_at: isOver ? now : null,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    ids.push(id)
  }
  return ids
}
